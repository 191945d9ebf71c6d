#include "task/job_wishes.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace strata {

namespace {

Outside::Answer refused(const Error& error) {
  MessageWriter out;
  out.put(false);
  out.put(error);
  return {out.bytes()};
}

template <class... Parts>
Outside::Answer granted(const Parts&... parts) {
  MessageWriter out;
  out.put(true);
  (out.put(parts), ...);
  return {out.bytes()};
}

Error not_agreed(std::string_view what) {
  return {fmt::format("the process that runs the model asked for {}, which is not part of its job",
                      what),
          ErrorKind::Model};
}

}  // namespace

Outside::Answer JobWishes::create(const std::string& path) {
  const auto known = std::find_if(rights_.outputs.begin(), rights_.outputs.end(),
                                  [&](const JobOutput& output) { return output.path == path; });
  if (known == rights_.outputs.end()) return refused(not_agreed("the file " + path));
  auto file = OutputFile::create(path, known->kind);
  if (!file) return refused(file.error());
  Outside::Answer answer = granted(++last_, file->temporary());
  answer.descriptor = file->descriptor();
  files_.emplace(last_, std::move(*file));
  return answer;
}

Outside::Answer JobWishes::commit(std::uint64_t number) {
  auto file = files_.extract(number);
  if (file.empty()) return refused(not_agreed("a file that it did not create"));
  if (const Status status = file.mapped().commit(); !status) return refused(status.error());
  return granted();
}

Outside::Answer JobWishes::judge(MessageReader& about) {
  const auto one = about.taken<std::string>(), two = about.taken<std::string>();
  const auto is_own = [&](const std::string& file) {
    std::error_code error;
    const auto real = std::filesystem::canonical(file, error).string();
    return !error && real.starts_with(std::filesystem::canonical(scratch_, error).string() + "/");
  };
  if (!rights_.judge || !is_own(one) || !is_own(two)) return refused(not_agreed("a command"));
  const auto score = rights_.judge(one, two);
  return score ? granted(*score) : refused(score.error());
}

Outside::Answer JobWishes::bench(MessageReader& about) {
  const auto variants = about.taken<std::vector<Variant>>();
  BenchOptions method;
  about.take(method.max_seconds);
  about.take(method.answers);
  if (!about.good()) return refused(not_agreed("something that cannot be read"));
  method.limits.stop = observer_.stop;
  method.program = rights_.bench_program;
  method.progress = [this](const BenchProgress& at) {
    observer_.show("measuring latency", at.done);
  };
  const auto result = measure_variants(variants, method);
  return result ? granted(*result) : refused(result.error());
}

Outside::Answer JobWishes::grant(OutsideWish wish, MessageReader& about) {
  switch (wish) {
    case OutsideWish::CreateFile:
      return create(about.taken<std::string>());
    case OutsideWish::CommitFile:
      return commit(about.taken<std::uint64_t>());
    case OutsideWish::DropFile:
      files_.erase(about.taken<std::uint64_t>());
      return granted();
    case OutsideWish::Judge:
      return judge(about);
    case OutsideWish::Bench:
      return bench(about);
  }
  return refused(not_agreed("something that is not known"));
}

}  // namespace strata
