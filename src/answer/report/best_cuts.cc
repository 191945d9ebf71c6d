#include "report/best_cuts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "report/payload_text.h"
#include "report/split_curve.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

bool is_whole(const Partition& choice) { return choice.is_all_edge() || choice.is_all_server(); }

std::string choice_text(const PayloadSource& source, const Split& split, const Partition& choice) {
  return describe(source.model, source.costs, source.layers, split, choice);
}

// `below 2.5 Mbps`, `2.5 to 61 Mbps`, `any`
std::string links_text(const Split& split, std::size_t piece) {
  const EnvelopePiece& own = split.pieces[piece];
  const std::string slow = link_text(1 / own.to), fast = link_text(1 / own.from);
  const bool is_fastest = piece == 0, is_slowest = piece + 1 == split.pieces.size();
  if (is_fastest && is_slowest) return "any";
  if (is_slowest) return "below " + fast;
  return is_fastest ? "above " + slow : fmt::format("{} to {}", slow, fast);
}

// How many times as fast a choice is as the better of the two machines alone.
double gain_at(const Split& split, const Partition& choice, double seconds_per_byte) {
  const double alone = std::min(split.all_edge.line().at(seconds_per_byte),
                                split.all_server.line().at(seconds_per_byte));
  return alone / choice.line().at(seconds_per_byte);
}

struct Most {
  const EnvelopePiece* piece = nullptr;
  double seconds_per_byte = 0, gain = 1;
};

// The gain is largest where the choice changes, or where the two machines alone take equally long.
Most find_most(const Split& split) {
  Most most;
  const PartitionLine edge = split.all_edge.line(), server = split.all_server.line();
  const double equal = (edge.fixed_seconds - server.fixed_seconds) / (server.bytes - edge.bytes);
  for (const EnvelopePiece& piece : split.pieces) {
    if (is_whole(piece.best)) continue;
    for (const double at : {piece.from, piece.to, equal}) {
      if (!(at >= piece.from && at <= piece.to)) continue;
      const double gain = gain_at(split, piece.best, at);
      if (gain > most.gain) most = {&piece, at, gain};
    }
  }
  return most;
}

// The slowest and the fastest link on which some split is the best.
std::string paying_links(const Split& split) {
  double slowest = 0, fastest = 0;
  for (const EnvelopePiece& piece : split.pieces) {
    if (is_whole(piece.best)) continue;
    if (fastest == 0) fastest = 1 / piece.from;
    slowest = 1 / piece.to;
  }
  const bool from_all = is_whole(split.pieces.back().best), to_all = is_whole(split.pieces[0].best);
  if (from_all && to_all)
    return fmt::format("from {} to {}", link_text(slowest), link_text(fastest));
  if (from_all) return "above " + link_text(slowest);
  return to_all ? "below " + link_text(fastest) : "of any speed";
}

}  // namespace

Table best_cuts_table(const PayloadSource& source, const NamedSplit& named,
                      const PayloadOptions& options) {
  Table table{.name = "best_cuts",
              .columns = {{"cut", "Best choice", Unit::Text, false, 0},
                          {"ships", "Ships", Unit::Bytes, false, 0},
                          {"links", "Links", Unit::Text, false, 0},
                          {"slowest_link", "Slowest link", Unit::BytesPerSecond},
                          {"fastest_link", "Fastest link", Unit::BytesPerSecond},
                          {"edge_s", "Edge", Unit::Seconds, false, 1},
                          {"server_s", "Server", Unit::Seconds, false, 1}}};
  table.shown_columns = {table.columns[0], table.columns[1], table.columns[2], table.columns[5],
                         table.columns[6]};
  const Split& split = named.split;
  for (std::size_t i = split.pieces.size(); i-- > 0;) {
    const EnvelopePiece& piece = split.pieces[i];
    const Partition& best = piece.best;
    TableRow& row = table.rows.emplace_back();
    row.cells = {choice_text(source, split, best),
                 static_cast<std::int64_t>(best.up_bytes),
                 links_text(split, i),
                 1 / piece.to,
                 1 / piece.from,
                 best.edge_seconds,
                 best.server_seconds};
    row.shown = {row.cells[0], row.cells[1], row.cells[2], row.cells[5], row.cells[6]};
  }
  table.foot = [own = options.own_machines](const TableStyle&) {
    return own.empty() ? "" : own + "\n";
  };
  return table;
}

std::string best_cuts_answer(const PayloadSource& source, const NamedSplit& named) {
  const Split& split = named.split;
  const Most most = find_most(split);
  std::string text;
  if (most.piece == nullptr && split.pieces.size() == 1)
    text = fmt::format("No split pays on any link: {} is always fastest",
                       choice_text(source, split, split.pieces[0].best));
  else if (most.piece == nullptr)
    text = fmt::format("No split pays on any link: {} is fastest {}, {} {}",
                       choice_text(source, split, split.pieces.back().best),
                       links_text(split, split.pieces.size() - 1),
                       choice_text(source, split, split.pieces[0].best), links_text(split, 0));
  else
    text = fmt::format(
        "A split pays on links {}. It pays most at {}: cut {}, ship {}, {:.2f} times as fast as "
        "either machine alone",
        paying_links(split), link_text(1 / most.seconds_per_byte),
        visible(choice_text(source, split, most.piece->best)),
        bounded_bytes(Expr(static_cast<std::int64_t>(most.piece->best.up_bytes)), false),
        most.gain);
  return fmt::format("{}.\nBetween {} and {}. {}.\n", text, visible(named.edge),
                     visible(named.server), named.how_sure);
}

std::string least_cut_answer(const PayloadSource& source, const Cuts& cuts,
                             const std::string& why) {
  const CutPlace* least = nullptr;
  for (const CutPlace& place : cuts.places)
    if (place.unknown == 0 && place.is_least_so_far) least = &place;
  const std::string where = least == nullptr
                                ? "No cut ships bytes that are known"
                                : fmt::format("The cut that ships least is after {}: {}",
                                              visible(layer_name(source, least->layer)),
                                              bounded_bytes(least->bytes[0], false));
  return fmt::format("{}.\nWhere a split pays is not known: {}.\n", where, visible(why));
}

}  // namespace strata
