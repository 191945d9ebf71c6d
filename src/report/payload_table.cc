#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/payload_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }

// A size for people: text, so that `≤` can stand before it. For machines the formula,
// and its bound in a column of its own.
void add_bytes(ProfileRow& row, const Expr& bytes, bool lower_bound,
               const PayloadOptions& options) {
  if (!options.machine) {
    row.cells.push_back(words((lower_bound ? "≥" : "") + bounded_bytes(bytes, options.exact)));
    return;
  }
  if (bytes.is_unknown())
    row.cells.emplace_back();
  else
    row.cells.push_back({bytes, lower_bound ? Certainty::LowerBound : Certainty::Exact});
}

void add_bound(ProfileRow& row, const Expr& bytes, const PayloadOptions& options) {
  if (!options.machine) return;
  const auto bound = upper_bound(bytes);
  row.cells.push_back(bound ? Cell{Expr(*bound), Certainty::Exact} : Cell{});
}

// Which symbols are open in what is shown, and that ≤ is an upper bound.
class OpenSizeNotes {
 public:
  void see(const Expr& size) {
    if (!size.is_formula()) return;
    if (upper_bound(size)) {
      has_bounds_ = true;
      return;
    }
    for (std::string& name : size.symbols()) open_.insert(std::move(name));
  }
  void add_to(Profile& profile, const Inference& inference) const {
    if (has_bounds_)
      profile.notes.emplace_back("≤ is the most that a size can be; only the data tells it");
    std::size_t more = 0, shown = 0;
    for (const auto& symbol : inference.symbols) {
      if (!open_.contains(symbol.name)) continue;
      if (++shown > kShown) {
        ++more;
        continue;
      }
      profile.notes.push_back(fmt::format("{} is open: {} (--dim {}=… {} it)", symbol.name,
                                          symbol.origin, symbol.name,
                                          symbol.needs_data ? "assumes" : "sets"));
    }
    if (more > 0) profile.notes.push_back(fmt::format("{} more sizes are open", more));
  }

 private:
  static constexpr std::size_t kShown = 4;
  bool has_bounds_ = false;
  std::set<std::string> open_;
};

std::string shapes_text(const PayloadSource& source, const Cuts& cuts,
                        const std::vector<std::uint32_t>& tensors, bool machine) {
  constexpr std::size_t kShown = 3;
  std::string out;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!machine && i == kShown && tensors.size() > kShown + 1)
      return out + fmt::format(" + {} more", tensors.size() - i);
    const Tensor& tensor = source.model.graph().tensors[cuts.tensors[tensors[i]].tensor];
    if (i > 0) out += machine ? "; " : " + ";
    if (machine)
      out += fmt::format("{} {}", tensor.name,
                         tensor.type.ranked ? text(tensor.type.dims) : std::string("?"));
    else
      out += bounded_shape(tensor.type);
  }
  return out;
}

}  // namespace

Profile boundary_table(const PayloadSource& source, const Boundaries& boundaries,
                       const PayloadOptions& options) {
  Profile table;
  table.columns = {{"layer", "Layer", Unit::Text, false, 0},
                   {"call", "Call", Unit::Count, false, 5},
                   {"direction", "Way", Unit::Text, false, 0},
                   {"index", "#", Unit::Count, false, 3}};
  if (options.machine) {
    table.columns.insert(table.columns.begin() + 1, {"kind", "Kind", Unit::Text, false, 9});
    table.columns.push_back({"tensor", "Tensor", Unit::Text, false, 9});
  }
  table.columns.push_back({"shape", "Shape", Unit::Text, false, 0});
  table.columns.push_back({"dtype", "Dtype", Unit::Text, false, 4});
  table.columns.push_back({"bytes", options.exact ? "Bytes" : "Size", Unit::Bytes, false, 0});
  if (options.machine) table.columns.push_back({"at_most", "At most", Unit::Bytes, false, 0});

  OpenSizeNotes notes;
  const auto add = [&](const Boundary& boundary, bool is_input) {
    const auto tensors =
        is_input ? boundaries.inputs_of(boundary) : boundaries.outputs_of(boundary);
    const std::uint32_t call = source.model.scopes[boundary.scope].call;
    const auto start = [&](Cell index) {
      ProfileRow row;
      row.depth = boundary.depth;
      row.cells = {words(boundary_name(source, boundary)),
                   {Expr(call), Certainty::Exact},
                   words(is_input ? "in" : "out"),
                   std::move(index)};
      if (options.machine)
        row.cells.insert(row.cells.begin() + 1, words(std::string(kind_name(boundary))));
      return row;
    };
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i].get();
      ProfileRow row = start({Expr(static_cast<std::int64_t>(i)), Certainty::Exact});
      if (options.machine) row.cells.push_back(words(std::string(tensor.name)));
      row.cells.push_back(words(options.machine && tensor.type.ranked
                                    ? text(tensor.type.dims)
                                    : bounded_shape(tensor.type)));
      row.cells.push_back(words(std::string(name(tensor.type.dtype))));
      const Expr bytes = tensor_bytes(tensor.type);
      notes.see(bytes);
      add_bytes(row, bytes, false, options);
      add_bound(row, bytes, options);
      table.rows.push_back(std::move(row));
    }
    if (tensors.size() < 2) return;
    ProfileRow row = start(words("sum"));
    if (options.machine) row.cells.push_back(words(""));
    row.cells.push_back(words(""));
    row.cells.push_back(words(""));
    add_bytes(row, bytes_of(tensors), false, options);
    add_bound(row, bytes_of(tensors), options);
    table.rows.push_back(std::move(row));
  };
  for (const Boundary& boundary : boundaries.list) {
    if (!is_shown(boundary, options)) {
      const bool is_view = boundary.depth <= options.depth && !options.modules;
      if (is_view) ++table.hidden_rows;
      continue;
    }
    add(boundary, true);
    add(boundary, false);
  }
  notes.add_to(table, source.inference);
  return table;
}

Profile cut_table(const PayloadSource& source, const Cuts& cuts, const PayloadOptions& options) {
  Profile table;
  table.columns = {{"after", "Cut after", Unit::Text, false, 0},
                   {"tensors", "Tensors", Unit::Count, false, 3},
                   {"raw", "Raw", Unit::Bytes, false, 0},
                   {"fp16", "fp16", Unit::Bytes, false, 1},
                   {"int8", "int8", Unit::Bytes, false, 1}};
  if (options.machine) {
    table.columns.insert(table.columns.begin() + 1, {"call", "Call", Unit::Count, false, 0});
    table.columns.push_back({"raw_at_most", "At most", Unit::Bytes, false, 0});
    table.columns.push_back({"least_so_far", "Least so far", Unit::Count, false, 0});
  } else {
    table.columns.push_back({"mark", "", Unit::Text, false, 0});
  }
  table.columns.push_back({"ships", "Ships", Unit::Text, false, 4});

  OpenSizeNotes notes;
  const std::vector<std::uint32_t> places = shown_places(cuts, options.all);
  const auto sets = crossing(cuts, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CutPlace& place = cuts.places[places[i]];
    ProfileRow row;
    if (options.machine) {
      const bool is_start = place.layer == kNone;
      row.cells.push_back(words(
          is_start ? "" : layer_path(source.model, source.costs, source.layers.list[place.layer])));
      row.cells.push_back({Expr(is_start ? 0 : source.layers.list[place.layer].call)});
    } else {
      row.cells.push_back(words(layer_name(source, place.layer)));
    }
    row.cells.push_back({Expr(place.tensors), Certainty::Exact});
    for (const Expr& bytes : place.bytes) add_bytes(row, bytes, place.unknown > 0, options);
    notes.see(place.bytes[0]);
    if (options.machine) {
      add_bound(row, place.unknown > 0 ? Expr::unknown() : place.bytes[0], options);
      row.cells.push_back({Expr(place.is_least_so_far ? 1 : 0), Certainty::Exact});
    } else {
      row.cells.push_back(words(place.is_least_so_far ? "*" : ""));
    }
    row.cells.push_back(words(shapes_text(source, cuts, sets[i], options.machine)));
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back("* ships less than every earlier place");
  if (places.size() < cuts.places.size())
    table.notes.push_back(fmt::format(
        "{} of {} places, those that ship less than their neighbours (--all shows every "
        "place)",
        places.size(), cuts.places.size()));
  notes.add_to(table, source.inference);
  return table;
}

}  // namespace strata
