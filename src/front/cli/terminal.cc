#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace strata {

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t terminal_lines(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool is_rich_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

std::size_t wanted_columns() {
  const char* columns = std::getenv("COLUMNS");
  const long width = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return width > 0 ? static_cast<std::size_t>(width) : 0;
}

bool wants_no_color() {
  // Set to nothing, it counts as not set (no-color.org).
  const char* off = std::getenv("NO_COLOR");
  return off != nullptr && *off != '\0';
}

}  // namespace strata
