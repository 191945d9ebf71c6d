#include "base/file_form.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace strata {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";

bool take(std::string_view& text, std::string_view token) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t' ||
           c == '\f' || c == '\x1b';
  });
}

bool is_json(std::string_view start) {
  return is_text(start) && (take(start, "{") || take(start, "["));
}

// Records are written with sorted keys.
bool is_sweep(std::string_view start) { return start.starts_with("{\"arguments\":"); }

// Writers put the version first; weights and archives begin otherwise.
bool is_onnx(std::string_view start) { return start.starts_with('\x08'); }

bool is_png(std::string_view start) { return start.starts_with("\x89PNG"); }

std::string description(std::string_view start) {
  if (is_onnx(start)) return "a model";
  if (is_png(start)) return "a picture";
  if (!is_text(start)) return "a binary file";
  if (is_sweep(start)) return "the results of a sweep";
  if (const std::string_view kind = json_kind(start); !kind.empty())
    return fmt::format("JSON of the kind \"{}\"", kind);
  return is_json(start) ? "JSON of another program" : "a text file";
}

bool is_of(const FileKind& kind, std::string_view start) {
  switch (kind.form) {
    case FileForm::Text:
      return is_text(start) && !is_json(start);
    case FileForm::Json:
      return is_text(start) && !json_kind(start).empty() &&
             (kind.name.empty() || json_kind(start) == kind.name);
    case FileForm::Lines:
      return is_sweep(start);
    case FileForm::Onnx:
      return is_onnx(start);
    case FileForm::Png:
      return is_png(start);
    case FileForm::Marked:
      return start.starts_with(kind.name);
    case FileForm::Other:
      return true;
  }
  return false;
}

}  // namespace

std::string_view json_kind(std::string_view start) {
  if (!take(start, "{") || !take(start, "\"kind\"") || !take(start, ":") || !take(start, "\""))
    return {};
  const std::size_t end = start.find('"');
  return end == start.npos ? std::string_view() : start.substr(0, end);
}

Status check_replaceable(const std::string& path, const FileKind& kind) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};  // what else is wrong is found when it is written
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  ::close(descriptor);
  if (got <= 0) return {};
  const std::string_view start(buffer.data(), static_cast<std::size_t>(got));
  if (is_of(kind, start)) return {};
  return failure(fmt::format("{} is {}, and no earlier output of the same kind; name another file, "
                             "or remove this one first",
                             path, description(start)),
                 ErrorKind::Usage);
}

}  // namespace strata
