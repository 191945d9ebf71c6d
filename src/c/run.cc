// Commands of the program in the caller's process.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/given_files.h"
#include "bench/own_program.h"
#include "c/document.h"
#include "cli/outlet.h"
#include "cli/program.h"

namespace strata::c {

namespace {

// Fills a document, and tells the caller what it wants to know at once.
class Taker : public cli::Outlet {
 public:
  Taker(const strata_call& call, strata_document& document) : call_(call), document_(document) {}

  void complain(std::string sentence) override { complaints_.push_back(std::move(sentence)); }
  void note(std::string line) override {
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
  void text(std::string_view text) override { document_.printed += text; }
  void document(Document document, const Renderer& renderer, const TableStyle& style,
                std::uint64_t most_bytes) override {
    document_.document = std::move(document);
    document_.renderer = &renderer;
    document_.style = style;
    document_.most_bytes = most_bytes;
  }
  void keep(std::shared_ptr<void> object) override { document_.kept.push_back(std::move(object)); }

  // What was complained of is the error, or a note if there is none.
  void finish(int code) {
    for (std::string& sentence : complaints_) {
      if (code == STRATA_CODE_FINE)
        document_.notes.push_back(std::move(sentence));
      else
        document_.error += (document_.error.empty() ? "" : "\n") + sentence;
    }
  }

 private:
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
    if (std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0)
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
      document.error = status.error().message;
      return STRATA_CODE_FAILED;
    }
  }
  static const bool kTold = (set_own_program(program_beside()), true);
  static_cast<void>(kTold);
  Taker taker(call, document);
  const cli::OutletScope scope(taker);
  const int code = cli::run_program(words);
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

const char* strata_version(void) { return STRATA_VERSION; }

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
