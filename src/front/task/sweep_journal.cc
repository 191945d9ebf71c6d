#include "task/sweep_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/system_calls.h"

namespace strata {

namespace {

tl::unexpected<Error> problem(const std::string& path, std::string_view what) {
  return failure(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

Result<std::string> read_all(const std::string& path, int descriptor) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return problem(path, "cannot be read");
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

struct Lines {
  std::vector<JournalEntry> entries;
  std::size_t whole = 0;     // bytes of the lines that are complete
  bool lacks_break = false;  // the last of them has no line break
};

// True for what a crash leaves of the first line. Keys are sorted, so that all records begin alike.
bool is_unfinished(std::string_view line) {
  constexpr std::string_view kStart = "{\"arguments\":";
  return line.starts_with(kStart) || kStart.starts_with(line);
}

Result<Lines> parse_lines(const std::string& path, std::string_view text) {
  Lines lines;
  for (std::size_t number = 1; lines.whole < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', lines.whole), text.size());
    const std::string_view line = text.substr(lines.whole, end - lines.whole);
    auto record = sorted_json_from_text(line);
    if (!record.is_object() || !record.contains("job") || !record["job"].is_string()) {
      const bool is_last = end + 1 >= text.size();
      const bool is_cut = line.starts_with('{') && record.is_discarded();
      if (is_last && (lines.entries.empty() ? is_unfinished(line) : is_cut)) break;
      return failure(Code::FileBroken, {.file = path, .name = "sweep"},
                     fmt::format("{}:{}: this is not a line of a sweep's results", path, number));
    }
    std::string job = record["job"];
    lines.entries.push_back({std::move(job), std::move(record)});
    lines.lacks_break = end == text.size();
    lines.whole = std::min(end + 1, text.size());
  }
  return lines;
}

}  // namespace

Result<ReadJournal> read_journal(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return problem(path, "cannot be opened");
  auto text = read_all(path, descriptor);
  ::close(descriptor);
  if (!text) return failure(text);
  auto lines = parse_lines(path, *text);
  if (!lines) return failure(lines);
  return ReadJournal{std::move(lines->entries), lines->whole < text->size()};
}

std::vector<JournalEntry> merge_entries(const std::vector<std::vector<JournalEntry>>& files) {
  std::vector<JournalEntry> out;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places;  // in `out`, and which file
  for (std::size_t file = 0; file < files.size(); ++file)
    for (const JournalEntry& entry : files[file]) {
      const auto [known, added] = places.try_emplace(entry.job, out.size(), file);
      auto& [place, from] = known->second;
      if (added) {
        out.push_back(entry);
      } else if (from == file || (out[place].failed() && !entry.failed())) {
        out[place] = entry;
        from = file;
      }
    }
  return out;
}

SweepResults gather(const std::vector<JournalEntry>& entries) {
  SweepResults out;
  bool first = true;
  for (const JournalEntry& entry : entries) {
    if (entry.failed()) {
      const auto& error = entry.record["error"];
      out.failed.push_back(fmt::format("{}: {}", entry.job,
                                       error.is_string() ? error.get<std::string>() : "failed"));
      continue;
    }
    const auto result = entry.record.find("result");
    auto run = bench_from_json(result == entry.record.end() ? "null" : result->dump(), entry.job);
    if (!run) {
      out.failed.push_back(run.error().message);
      continue;
    }
    for (const auto& [key, value] : run->machine)
      if (key == "cpu") out.processors.insert(value);
    if (std::exchange(first, false))
      out.run = std::move(*run);
    else
      for (BenchGroup& group : run->groups) out.run.groups.push_back(std::move(group));
  }
  return out;
}

Result<Journal> Journal::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return problem(path, "cannot be opened");
  Journal journal(path, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return failure(Code::JournalInUse, {.file = path});
  auto text = read_all(path, descriptor);
  if (!text) return failure(text);
  auto lines = parse_lines(path, *text);
  if (!lines) return failure(lines);
  if (lines->whole < text->size()) {
    journal.cut_ = true;
    if (::ftruncate(descriptor, static_cast<off_t>(lines->whole)) != 0)
      return problem(path, "an unfinished line cannot be taken off");
  }
  if (lines->lacks_break)
    if (Status status = journal.add("\n"); !status) return failure(status);
  journal.entries_ = std::move(lines->entries);
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      cut_(other.cut_),
      entries_(std::move(other.entries_)) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status Journal::append(const nlohmann::json& record) {
  if (Status status = add(json_text(record, -1) + "\n"); !status) return status;
  entries_.push_back({record.at("job").get<std::string>(), record});
  return {};
}

Status Journal::add(const std::string& line) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t put = ::write(descriptor_, line.data() + written, line.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      auto failed = problem(path_, "cannot be written");
      if (before >= 0 && ::ftruncate(descriptor_, before) != 0) return failed;
      return failed;
    }
    written += static_cast<std::size_t>(put);
  }
  // A pipe or a device cannot be synchronised, and need not be.
  if (system_calls::sync_data(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    return problem(path_, "cannot be written");
  return {};
}

}  // namespace strata
