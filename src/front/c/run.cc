// Commands of the program in the caller's process.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/given_files.h"
#include "base/own_version.h"
#include "bench/own_program.h"
#include "c/document.h"
#include "cli/outlet.h"
#include "cli/program.h"
#include "options/request.h"

namespace strata::c {

namespace {

// Fills a document, and tells the caller what it wants to know at once.
class Taker : public cli::Outlet {
 public:
  Taker(const strata_call& call, strata_document& document) : call_(call), document_(document) {}

  void complain(std::string sentence) override {
    complaints_.push_back(without_prefix(std::move(sentence)));
  }
  void fail(const Error& error, std::string sentence) override {
    set_error(document_, error);
    for (auto& [name, value] : document_.error_fields) value = without_prefix(std::move(value));
    document_.error.clear();  // the sentence goes with what else was complained of
    complain(std::move(sentence));
  }
  void note(std::string line) override {
    line = without_prefix(std::move(line));
    if (call_.note != nullptr) call_.note(call_.user, line.c_str());
    document_.notes.push_back(std::move(line));
  }
  void progress(std::string_view stage, double share) override {
    if (call_.progress != nullptr &&
        call_.progress(call_.user, std::string(stage).c_str(), share) != 0)
      (call_.stop != nullptr ? *call_.stop : own_).set = true;
  }
  const std::atomic<bool>& stop() const override {
    return call_.stop != nullptr ? call_.stop->set : own_.set;
  }
  void text(std::string_view text) override {
    document_.printed += without_prefix(std::string(text));
  }
  void document(Document document, const Renderer& renderer, const TableStyle& style,
                std::uint64_t most_bytes) override {
    for (auto& [option, value] : document.options) value = without_prefix(std::move(value));
    if (call_.file_count > 0) document.command.clear();  // its files were in memory
    document_.document = std::move(document);
    document_.renderer = &renderer;
    document_.style = style;
    document_.most_bytes = most_bytes;
  }
  void keep(std::shared_ptr<void> object) override { document_.kept.push_back(std::move(object)); }

  // The complaint is the error, or a note if there is none.
  void finish(int code) {
    for (std::string& sentence : complaints_) {
      if (code == STRATA_CODE_FINE)
        document_.notes.push_back(std::move(sentence));
      else
        document_.error += (document_.error.empty() ? "" : "\n") + sentence;
    }
  }

 private:
  // Messages call files in memory by their names alone.
  std::string without_prefix(std::string text) const {
    for (std::size_t i = 0; i < call_.file_count; ++i) {
      const std::string word = std::string(kGivenPrefix) + call_.files[i].name;
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at))
        text.erase(at, kGivenPrefix.size());
    }
    return text;
  }

  const strata_call& call_;
  strata_document& document_;
  std::vector<std::string> complaints_;
  strata_stop own_;
};

// The program beside this library, which commands start for their processes: this one is the
// caller's. Empty: there is none.
std::string program_beside() {
  Dl_info found = {};
  if (::dladdr(reinterpret_cast<const void*>(&strata_abi), &found) == 0) return "";
  std::error_code error;
  const auto folder = std::filesystem::canonical(found.dli_fname, error).parent_path();
  for (const auto& path : {folder / "strata", folder.parent_path() / "bin" / "strata",
                           folder.parent_path().parent_path() / "bin" / "strata"})
    if (std::filesystem::is_regular_file(path, error) && ::access(path.string().c_str(), X_OK) == 0)
      return path.string();
  return "";
}

int refuse(strata_document& document, const char* why) {
  document.error = why;
  return STRATA_CODE_USAGE;
}

int run(const strata_call& call, strata_document& document) {
  if ((call.words == nullptr && call.word_count > 0) ||
      (call.files == nullptr && call.file_count > 0))
    return refuse(document, "a list of the call has a size and is NULL");
  std::vector<std::string> words;
  for (std::size_t i = 0; i < call.word_count; ++i) {
    if (call.words[i] == nullptr) return refuse(document, "a word of the call is NULL");
    words.emplace_back(call.words[i]);
  }
  if (call.request != nullptr && !words.empty())
    return refuse(document, "a call has words or a request, and not both");
  GivenFiles files;
  for (std::size_t i = 0; i < call.file_count; ++i) {
    const strata_file& file = call.files[i];
    if (file.name == nullptr || (file.bytes == nullptr && file.size > 0))
      return refuse(document, "a file of the call has no name, or a size and no bytes");
    const std::string_view bytes(static_cast<const char*>(file.bytes), file.size);
    if (call.files_stay != 0) {
      files.borrow(file.name, bytes);
      continue;
    }
    if (const Status status = files.add(file.name, bytes); !status) {
      set_error(document, status.error());
      return STRATA_CODE_FAILED;
    }
  }
  static const bool kTold = (set_own_program(program_beside()), true);
  static_cast<void>(kTold);
  document.audience = manual::audience_from_name(call.caller == nullptr ? "" : call.caller);
  const manual::AudienceScope audience(document.audience);
  cli::Request request;
  if (call.request != nullptr) {
    auto read = cli::request_from_json(call.request);
    if (!read) {
      set_error(document, read.error());
      return STRATA_CODE_USAGE;
    }
    request = std::move(*read);
  }
  Taker taker(call, document);
  const cli::OutletScope scope(taker);
  const int code = call.request == nullptr ? cli::run_program(words) : cli::run_program(request);
  taker.finish(code);
  return code;
}

// The members that the caller's header had.
bool copy_call(const strata_call* given, strata_call& call) {
  constexpr std::size_t kLeast = offsetof(strata_call, files);
  if (given == nullptr || given->size < kLeast || given->size > sizeof call) return false;
  std::memcpy(&call, given, given->size);
  return true;
}

}  // namespace

}  // namespace strata::c

int strata_abi(void) { return STRATA_C_ABI; }

const char* strata_version(void) { return strata::own_version(); }

strata_stop* strata_stop_new(void) { return new (std::nothrow) strata_stop; }
void strata_stop_set(strata_stop* stop) {
  if (stop != nullptr) stop->set = true;
}
void strata_stop_free(strata_stop* stop) { delete stop; }

int strata_run(const strata_call* given, strata_document** document) {
  if (document == nullptr) return STRATA_CODE_USAGE;
  *document = new (std::nothrow) strata_document;
  if (*document == nullptr) return STRATA_CODE_FAILED;
  return strata::c::guarded(*document, [&] {
    strata_call call = {};
    if (!strata::c::copy_call(given, call))
      return strata::c::refuse(**document, "the call has no size that this strata knows");
    return strata::c::run(call, **document);
  });
}
