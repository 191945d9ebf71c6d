#include "case_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace strata_cli_test {

namespace {

constexpr std::string_view kPrompt = "$ ";
constexpr std::string_view kExit = "[exit ";
constexpr std::string_view kErrors = "[stderr]";
constexpr std::string_view kNoNewline = "[no newline at the end]";

// JSON is indented, so the mark may be indented, too.
bool is_ellipsis(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line == "…";
}

void append_lines(std::vector<std::string>& lines, const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (!text.empty() && text.back() != '\n') lines.emplace_back(kNoNewline);
}

}  // namespace

CaseFile read_case_file(const std::string& path) {
  CaseFile file;
  file.markdown = path.ends_with(".md");
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);

  bool in_block = !file.markdown;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (file.markdown && file.lines[i].starts_with("```")) {
      const bool opens = file.lines[i] == "```console" && i + 1 < file.lines.size();
      in_block = opens && file.lines[i + 1].starts_with("$ strata");
    }
    if (!in_block || !file.lines[i].starts_with(kPrompt)) continue;
    Case found;
    found.line = i;
    found.command = file.lines[i].substr(kPrompt.size());
    found.complete = file.markdown;
    for (; i + 1 < file.lines.size(); ++i) {
      const std::string& next = file.lines[i + 1];
      if (next.starts_with(kPrompt) || (file.markdown && next.starts_with("```"))) break;
      found.expected.push_back(next);
      if (file.markdown || !next.starts_with(kExit)) continue;
      found.complete = true;
      ++i;
      break;
    }
    file.cases.push_back(std::move(found));
  }
  return file;
}

std::vector<std::string> lines_of(const Printed& printed, bool markdown) {
  std::vector<std::string> lines;
  append_lines(lines, printed.output);
  if (!markdown && !printed.errors.empty()) lines.emplace_back(kErrors);
  append_lines(lines, printed.errors);
  if (!markdown) lines.push_back(std::string(kExit) + std::to_string(printed.exit_code) + "]");
  return lines;
}

bool matches(const std::vector<std::string>& expected, const std::vector<std::string>& lines) {
  // Like * in a file name: the last mark absorbs what the rest does not match.
  std::size_t e = 0, l = 0, mark = expected.size(), resume = 0;
  while (l < lines.size()) {
    if (e < expected.size() && is_ellipsis(expected[e])) {
      mark = e++;
      resume = l;
    } else if (e < expected.size() && expected[e] == lines[l]) {
      ++e, ++l;
    } else if (mark != expected.size()) {
      e = mark + 1;
      l = ++resume;
    } else {
      return false;
    }
  }
  while (e < expected.size() && is_ellipsis(expected[e])) ++e;
  return e == expected.size();
}

std::vector<std::string> elided_like(const std::vector<std::string>& expected,
                                     const std::vector<std::string>& lines) {
  const auto mark = std::find_if(expected.begin(), expected.end(), is_ellipsis);
  if (mark == expected.end() ||
      std::find_if(mark + 1, expected.end(), is_ellipsis) != expected.end())
    return lines;
  const auto before = mark - expected.begin(), after = expected.end() - mark - 1;
  if (before + after >= static_cast<std::ptrdiff_t>(lines.size())) return lines;
  std::vector<std::string> out(lines.begin(), lines.begin() + before);
  out.push_back(*mark);
  out.insert(out.end(), lines.end() - after, lines.end());
  return out;
}

void write_case_file(const std::string& path, const CaseFile& file,
                     const std::vector<std::vector<std::string>>& expected) {
  std::ofstream out(path);
  std::size_t at = 0;
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    for (; at <= file.cases[i].line; ++at) out << file.lines[at] << "\n";
    for (const std::string& line : expected[i]) out << line << "\n";
    at += file.cases[i].expected.size();
  }
  for (; at < file.lines.size(); ++at) out << file.lines[at] << "\n";
}

}  // namespace strata_cli_test
