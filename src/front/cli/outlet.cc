#include "cli/outlet.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/error_fields.h"
#include "cli/printable.h"
#include "cli/terminal.h"
#include "document/wrap.h"
#include "manual/advice.h"
#include "read/standard_input.h"

namespace strata::cli {

namespace {
thread_local Outlet* current = nullptr;

// Broken between words to fit the terminal; a file or a pipe gets lines as they are.
std::string on_terminal(const std::string& text) {
  const std::size_t width = terminal_columns(STDERR_FILENO);
  return width == 0 ? text + "\n" : wrapped(text, width);
}

}  // namespace

Outlet* outlet() { return current; }

OutletScope::OutletScope(Outlet& to) : before_(std::exchange(current, &to)) {}

OutletScope::~OutletScope() { current = before_; }

void complain(std::string_view sentence) {
  std::string named = with_standard_input_named(std::string(sentence));
  if (Outlet* to = outlet())
    to->complain(std::move(named));
  else
    fmt::print(stderr, "{}", on_terminal("strata: " + printable(named)));
}

void fail(const Error& error) {
  std::string sentence = manual::advised(error);
  if (Outlet* to = outlet()) {
    to->fail(error, with_standard_input_named(std::move(sentence)));
    return;
  }
  complain(sentence);
  if (manual::audience() == manual::Audience::Program) return;
  fmt::print(stderr, "strata-error {}\n", error_json(error));
}

void say(std::string_view text) {
  if (Outlet* to = outlet())
    to->note(std::string(text));
  else
    fmt::print(stderr, "{}\n", text);
}

}  // namespace strata::cli
