// Documents leave out the folders of absolute paths, which say who made them and where.
#pragma once

#include <string>
#include <string_view>

#include "strata/document/table.h"

namespace strata {

// The last part of an absolute path; any other text as it is.
std::string without_folders(std::string_view path);
// Likewise of the value of an option, which may hold several: `m=/home/me/a.onnx,/home/me/b.onnx`.
std::string option_without_folders(std::string_view value);
// Strips folders from paths, unless the style asks for them; returns other cells as they are.
Cell without_folders(const Cell& cell, const TableStyle& style);

}  // namespace strata
