// Where what a command says goes. The program prints it: results to stdout, the rest to stderr. A
// caller in this process takes it (src/front/c).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "strata/base/error.h"
#include "strata/document/render.h"

namespace strata::cli {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // Reports an error, or how the results are to be taken.
  virtual void complain(std::string sentence) = 0;
  // Why the command failed, and the sentence for it.
  virtual void fail(const Error& error, std::string sentence) = 0;
  virtual void note(std::string line) = 0;
  virtual void progress(std::string_view stage, double share) = 0;
  virtual const std::atomic<bool>& stop() const = 0;
  // A result that is not a document.
  virtual void text(std::string_view text) = 0;
  // A result; a rendered one may have at most this many bytes (0: any number).
  virtual void document(Document document, const Renderer& renderer, const TableStyle& style,
                        std::uint64_t most_bytes) = 0;
  // Keeps an object that the document refers to.
  virtual void keep(std::shared_ptr<void> object) = 0;
};

// Returns this thread's outlet; null: the streams of the program.
Outlet* outlet();

// Sends the commands' output in this thread there while it lives.
class OutletScope {
 public:
  explicit OutletScope(Outlet& to);
  ~OutletScope();
  OutletScope(const OutletScope&) = delete;
  OutletScope& operator=(const OutletScope&) = delete;

 private:
  Outlet* before_;
};

// Writes to stderr: `strata: ` and the sentence.
void complain(std::string_view sentence);
// Why the command failed, with advice for the audience of this thread. For the Python package,
// which runs the program as a child, a line of JSON follows: `strata-error {"code": …, "fields": …,
// "message": …}`.
void fail(const Error& error);
// The text as it is, and the end of a line.
void say(std::string_view text);

}  // namespace strata::cli
