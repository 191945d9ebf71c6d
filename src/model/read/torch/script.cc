#include "read/torch/script.h"

#include "read/zip/zip.h"

namespace strata::torch {

// Files of weights have neither constants nor code, and exported programs have no constants.pkl.
bool looks_like_script(std::string_view bytes) {
  if (unzip::first_zip_name(bytes).empty()) return false;
  const auto entries = unzip::zip_entries(bytes);
  if (!entries) return false;
  bool has_constants = false, has_code = false;
  for (const unzip::ZipEntry& entry : *entries) {
    has_constants = has_constants || entry.name.ends_with("/constants.pkl");
    has_code = has_code || entry.name.find("/code/") != std::string_view::npos;
  }
  return has_constants && has_code;
}

}  // namespace strata::torch
