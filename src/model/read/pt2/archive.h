// The places of a .pt2 archive's parts.
#pragma once

#include <string_view>
#include <vector>

#include "read/zip/zip.h"
#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata::pt2 {

class Archive {
 public:
  static Result<Archive> open(std::string_view bytes);
  // True if the entries are those of a .pt2 file.
  bool is_pt2() const { return has_format_ || !models_.empty(); }
  // The names of its models, in the order of the archive.
  const std::vector<std::string_view>& models() const { return models_; }
  // It has compiled code of a model, which tells nothing about costs.
  bool has_compiled() const { return has_compiled_; }

  // The program of a model, as JSON; empty if there is none.
  Result<std::string_view> program(Model& keeper, std::string_view model, double limit) const;
  // The JSON that tells where the weights or the constants (`kind`) are; empty if there is none.
  Result<std::string_view> config(Model& keeper, std::string_view model, std::string_view kind,
                                  double limit) const;

 private:
  Result<std::string_view> text_of(Model& keeper, const std::string& name, double limit) const;

  std::string_view bytes_;
  std::vector<unzip::ZipEntry> entries_;
  std::string_view root_;  // the folder that everything is in, with its slash
  std::vector<std::string_view> models_;
  bool has_format_ = false;
  bool has_compiled_ = false;
  bool is_flat_ = false;  // of PyTorch up to 2.7: one program beside pickles
};

}  // namespace strata::pt2
