// Options for the content of a profile and for the way it counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strata/profile/needs.h"

namespace strata {

enum class ReportKind : std::uint8_t {
  Tape,    // each call of a leaf module, in running order
  Node,    // each operator
  Leaves,  // each leaf module once, its calls added up
  Tree,    // the module tree with totals
  Root,    // the network as one row
  Type,    // by kind of layer
  None,    // totals only
};

std::optional<ReportKind> report_kind_from_name(std::string_view name);
std::string_view name_of(ReportKind kind);

// Selects the rows of a table.
enum class RowChoice : std::uint8_t {
  All,
  Modules,      // not what stands between modules
  ModulesOnce,  // a module that is called twice is one row, with the numbers of its first call
  Activations,  // outputs of activation functions
};

struct RowOptions {
  ReportKind report = ReportKind::Tape;
  std::uint32_t depth = 1000;  // of the tree
  bool fuse = false;           // convolution + norm + activation as one row
  bool all = false;            // also rows that cost nothing
  RowChoice only = RowChoice::All;
  // Rows are no longer made once their texts have more bytes than this; 0: any number.
  std::uint64_t most_text_bytes = 0;
};

// Options for counting a model.
struct AnalysisOptions {
  std::string convention = "strata";
  std::string energy_model = "strata";
  bool load_work = false;  // count work on constants as part of every run (CountOptions)
  bool as_stored = false;  // read quantized tensors literally (CountOptions)
  bool arena = false;      // also plan an arena; needs every size in numbers
  // `pytorch-cuda`: an eager run on a device; `arena`: the arena and what is alive at
  // each layer. Empty: neither. Needs every size in numbers.
  std::string device_memory = {};
  // Also what is alive at each layer and, where strata's own convention counts, the formula of its
  // work: for a page.
  bool in_depth = false;
  double limit = 1;  // multiplies what formulas may cost in proportion to the file
  // The needs of all columns of the tables to come (strata/profile/columns.h: needs_of); the rest
  // may be left out.
  Needs needs = Needs::all();
};

// The content of one table.
struct ProfileView {
  RowOptions rows = {};
  std::string columns = {};  // `+energy,-flops`, `layer,macs`; empty: the usual ones
  std::string layout = {};   // `rasp`, `torchstat`: that tool's rows, columns and counting
  std::string sort = {};  // a column, `-` before it for the other way round; empty: running order
  bool all_columns = false;  // for machine output: every column, unless `columns` says
  // Where each row follows from one call or node, rows are made from the analysis when they are
  // read (Profile::source), so that a million of them take no room. The analysis has to stay alive
  // and in its place.
  bool row_by_row = false;
  // More rows than this are summed up by module or, without modules, by type; 0: any number.
  std::size_t most_rows = 0;
};

}  // namespace strata
