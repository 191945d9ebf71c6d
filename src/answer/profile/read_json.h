// Reads a saved profile, member by member. Each member is read by a function of its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fields.h"
#include "strata/profile/profile.h"

namespace strata {

class ProfileReader : JsonFields {
 public:
  explicit ProfileReader(std::string_view label);
  Result<Profile> read(const Json& json);

 private:
  // Values, in read_json_cells.cc.
  const Json* part(const Json& object, const char* key);
  // A number or a formula; unknown for null.
  std::optional<Expr> expr(const Json& value) const;
  Expr expr_at(const Json& object, const char* key, std::string_view where);
  std::optional<Cell> cell(const Json& value, bool is_text) const;
  // `1×3×224×224` of a list of sizes, each a number or a formula.
  static std::optional<std::string> shape_text(const Json& shape);
  static std::optional<std::string> shapes_text(const Json& shapes);
  Cell cell_at(const Json& object, const Column& column, std::string_view where);

  // read_json.cc reads the facts about the model, and the table.
  // In 0.1 they were counted from 0.
  void count_calls_from_one();
  void read_symbols(const Json& json);
  void read_tensors(const Json& json, const char* key, std::vector<Profile::TensorFacts>& out);
  void read_model(const Json& json);
  void read_options(const Json& json);
  void read_settings(const Json& json);
  void read_columns(const Json& json);
  void read_rows(const Json& json);
  void read_edges(const Json& json);
  void read_memory(const Json& json);
  void read_device(const Json& memory);

  // Measurements, in read_json_measured.cc.
  void read_taken(const Json& memory);
  void read_timing(const Json& json);
  void read_interval(const Json& timing, TimingFacts& facts);
  void read_roofline(const Json& json);
  void read_machine(const Json& json);

  std::vector<std::string> symbol_names_;
  Profile profile_;
};

}  // namespace strata
