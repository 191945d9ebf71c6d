// Recognises the kind of a file by its first bytes: an output replaces only an earlier output of
// its kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

enum class FileForm : std::uint8_t {
  Text,   // tables, CSV, Markdown, SVG, lists of names
  Json,   // an object whose first member is its kind: `"kind": "profile"`
  Lines,  // results of a sweep, one JSON object per line
  Onnx,
  Png,
  Marked,  // JSON for another program, which begins with what `name` says
  Other,   // weights, scratch files: may be anything, and may replace anything
};

struct FileKind {
  FileForm form = FileForm::Text;
  std::string_view name = {};  // of JSON; empty: any that strata writes. Of Marked: its start
};

// The first member of an object of ours: `profile` for `{ "kind": "profile", …`. Empty if there is
// none.
std::string_view json_kind(std::string_view start);

// Fails with a sentence if the file at `path` is neither absent, nor empty, nor of this kind.
Status check_replaceable(const std::string& path, const FileKind& kind);

}  // namespace strata
