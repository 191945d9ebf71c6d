// Files of data/ and assets/ that are compiled into the program. The build generates the source
// (cmake/embed.cmake).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace strata {

// The contents of a file by its path in the repository: `data/energy.json`.
std::optional<std::string_view> embedded_file(std::string_view path);
// All paths, sorted.
std::span<const std::string_view> embedded_paths();

}  // namespace strata
