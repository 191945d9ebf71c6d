#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "profile/caveats.h"
#include "report/footer.h"
#include "report/summary_text.h"
#include "strata/base/number_text.h"
#include "strata/report/report.h"

namespace strata {

namespace {

constexpr std::size_t kSymbols = 8;        // of the open sizes, how many are named
constexpr std::size_t kPeakTensors = 3;    // of those alive at the peak, how many are named
constexpr std::size_t kLongFormula = 200;  // characters

const char* bound_sign(Certainty certainty) { return certainty == Certainty::Exact ? "" : "≥"; }

const char* reading_text(const Profile::Memory& memory) {
  if (memory.reading == Profile::kIntegers) return " with quantized tensors as integers";
  return memory.reading == Profile::kAsStored ? " with quantized tensors as stored" : "";
}

std::string peak_text(const Profile& profile, bool exact) {
  const Profile::Memory& memory = profile.memory;
  if (memory.peak_layer.empty()) return "";
  std::vector<std::pair<std::string_view, Expr>> makers;  // what each layer has alive
  std::map<std::string_view, std::size_t> places;         // of the layers in it
  for (const Profile::AliveTensor& alive : memory.at_peak) {
    const std::string_view name = alive.layer.empty() ? alive.tensor : alive.layer;
    const auto [place, is_new] = places.try_emplace(name, makers.size());
    if (is_new)
      makers.emplace_back(name, alive.bytes);
    else
      makers[place->second].second += alive.bytes;
  }
  std::vector<std::string> largest;
  const std::size_t count = std::min(makers.size(), kPeakTensors);
  for (auto next = makers.begin(); largest.size() < count; ++next) {
    const auto most = std::max_element(next, makers.end(), [](const auto& a, const auto& b) {
      return provably_at_least(b.second - a.second, 1);
    });
    std::rotate(next, most, most + 1);  // the others stay in their order
    largest.push_back(
        fmt::format("{} {}", next->first, expr_text(next->second, NumberStyle::Bytes, exact)));
  }
  const std::size_t more = makers.size() - count;
  std::string tensors = fmt::format("{}", fmt::join(largest, ", "));
  if (more > 0) tensors += fmt::format(" and {} more", more);
  // Open sizes decide which layer it is: the tensors are those of one formula of several.
  Expr sum;
  for (const Profile::AliveTensor& alive : memory.at_peak) sum += alive.bytes;
  const bool depends = memory.peak_bytes.is_formula() && !(sum == memory.peak_bytes);
  std::string peak = expr_text(memory.peak_bytes, NumberStyle::Bytes, exact);
  // A maximum of many formulas is more than people read, and each of them is a lower bound.
  const bool is_cut = depends && !exact && peak.size() > kLongFormula;
  if (is_cut) peak = expr_text(sum, NumberStyle::Bytes, exact);
  return fmt::format("Peak activations {}{}{}{}{} while {} runs: {}\n",
                     memory.certainty == Certainty::Exact && !is_cut ? "" : "≥", peak,
                     exact ? " B" : "", reading_text(memory), depends ? ", for large sizes" : "",
                     memory.peak_layer, tensors);
}

// In other conventions than strata's, constants may cost nothing though work is done on them.
std::string load_work_text(const Profile& profile, const TableStyle& style) {
  if (!profile.load_work) return "";
  const Profile::LoadWork& work = *profile.load_work;
  std::vector<std::string> parts;
  if (!work.macs.is(0))
    parts.push_back(fmt::format("{} MACs", expr_text(work.macs, NumberStyle::Plain, style.exact)));
  if (!work.flops.is(0))
    parts.push_back(
        fmt::format("{} FLOPs", expr_text(work.flops, NumberStyle::Plain, style.exact)));
  if (parts.empty()) return "";
  const std::string text =
      fmt::format("Once, when the model is loaded: {} on constants, {} in the totals",
                  fmt::join(parts, " and "), work.in_totals ? "counted" : "not counted");
  if (work.in_totals) return text + "\n";
  return phrased(style.phrase, make_error(Code::LoadWorkApart, {}, text)) + "\n";
}

// The symbols that the totals depend on.
std::set<std::string> symbols_in_totals(const Profile& profile) {
  std::set<std::string> names;
  for (const Cell& cell : profile.totals.cells)
    if (const auto* expr = std::get_if<Expr>(&cell.value); expr != nullptr && expr->is_formula())
      for (std::string& name : expr->symbols()) names.insert(std::move(name));
  return names;
}

// Names the missing sizes and the way to give them.
std::string symbols_text(const Profile& profile, const Phrase& phrase) {
  if (profile.symbols.empty()) return "";
  const std::set<std::string> in_totals = symbols_in_totals(profile);
  std::string out;
  std::size_t shown = 0;
  for (const auto& symbol : profile.symbols) {
    if (!in_totals.contains(symbol.name) || shown == kSymbols) continue;
    ++shown;
    out += fmt::format(
        "  {}\n", phrased(phrase, make_error(symbol.needs_data ? Code::AssumedSize : Code::OpenSize,
                                             {.name = symbol.name},
                                             fmt::format("{}: {}", symbol.name, symbol.origin))));
  }
  const std::size_t more = profile.symbols.size() - shown;
  if (more > 0)
    out += fmt::format(
        "  {}\n",
        phrased(phrase, make_error(Code::ListIsShort, {},
                                   fmt::format("{}{}", more,
                                               shown == 0 ? ", on which no total shown depends"
                                                          : " more"))));
  return "Open sizes:\n" + out;
}

// Offsets in one block of memory, as asked for.
std::string arena_text(const Profile& profile, const TableStyle& style) {
  if (!profile.arena) return "";
  const ArenaLayout& arena = *profile.arena;
  const auto size = [&](std::int64_t bytes) {
    return expr_text(Expr(bytes), NumberStyle::Bytes, style.exact);
  };
  const std::string summary = fmt::format(
      "Arena of {} for {} tensors; what is alive at once needs {} ({:.1f} %)", size(arena.bytes),
      arena.blocks.size(), size(arena.bound),
      arena.bytes == 0
          ? 100.0
          : 100.0 * static_cast<double>(arena.bound) / static_cast<double>(arena.bytes));
  if (!arena.listed)
    return phrased(style.phrase, make_error(Code::ArenaNotListed, {}, summary)) + "\n";
  std::string out = summary + "\n";
  for (const ArenaBlock& block : arena.blocks)
    out += fmt::format("  {:>12} +{:<12} {} … {}\n", grouped(block.offset), grouped(block.bytes),
                       block.first.empty() ? block.tensor : block.first, block.last);
  return out;
}

std::string device_text(const Profile& profile, bool exact) {
  if (!profile.device) return "";
  const DeviceFacts& device = *profile.device;
  const auto size = [&](std::int64_t bytes) {
    return expr_text(Expr(bytes), NumberStyle::Bytes, exact) + (exact ? " B" : "");
  };
  return fmt::format(
      "Device memory ({}): peak_allocated {}{}{}, of it weights {} and inputs {}{}\n", device.model,
      bound_sign(profile.memory.certainty), size(device.peak_allocated),
      device.peak_layer.empty() ? "" : fmt::format(" while {} runs", device.peak_layer),
      size(device.weights), size(device.inputs),
      device.peak_reserved < 0 ? ""
                               : fmt::format("; peak_reserved {}", size(device.peak_reserved)));
}

// The memory of a training step: each phase at its peak.
std::string phases_text(const Profile& profile, bool exact) {
  std::string out;
  for (const PhaseMemory& phase : profile.memory.phases) {
    const auto size = [&](std::int64_t bytes) {
      return expr_text(Expr(bytes), NumberStyle::Bytes, exact) + (exact ? " B" : "");
    };
    out += fmt::format(
        "Peak of the {} {}{}: weights {}, gradients {}, optimizer state {}, activations {}, other "
        "{}\n",
        phase.phase == Phase::Optimizer ? "optimizer's step"
                                        : fmt::format("{} pass", phase_name(phase.phase)),
        bound_sign(profile.memory.certainty), size(phase.peak()), size(phase.weights),
        size(phase.gradients), size(phase.optimizer_state), size(phase.activations),
        size(phase.other));
  }
  return out;
}

// Rounds a total like torchstat: `105.03G`, `2.5M`.
std::string torchstat_number(double number, double thousand) {
  constexpr std::string_view kPrefixes = "KMGT";
  std::size_t prefix = 0;
  while (prefix < kPrefixes.size() && number >= thousand) {
    number /= thousand;
    ++prefix;
  }
  std::string text = fmt::format("{:.2f}", number);
  if (text.ends_with('0')) text.pop_back();
  return prefix == 0 ? fmt::format("{:.0f}", number) : text + kPrefixes[prefix - 1];
}

// The lines that torchstat prints below its table.
std::string torchstat_text(const Profile& profile) {
  const auto total = [&](std::string_view name) -> std::optional<double> {
    for (std::size_t i = 0; i < profile.columns.size(); ++i) {
      if (profile.columns[i].name != name) continue;
      const Cell& cell = profile.totals.cells[i];
      if (const auto* real = std::get_if<double>(&cell.value)) return *real;
      const auto* whole = std::get_if<Expr>(&cell.value);
      if (whole != nullptr && whole->is_number()) return static_cast<double>(whole->value());
    }
    return std::nullopt;
  };
  const auto params = total("params"), memory = total("memory(MB)"), madd = total("MAdd"),
             flops = total("Flops"), moved = total("MemR+W(B)");
  if (!params || !memory || !madd || !flops || !moved) return "";
  return fmt::format(
      "Total params: {}\nTotal memory: {:.2f}MB\nTotal MAdd: {}MAdd\nTotal Flops: {}Flops\n"
      "Total MemR+W: {}B\n",
      grouped(static_cast<std::int64_t>(*params)), *memory, torchstat_number(*madd, 1000),
      torchstat_number(*flops, 1000), torchstat_number(*moved, 1024));
}

// Says how the times were measured.
std::string timing_text(const Profile& profile) {
  if (!profile.timing) return "";
  const TimingFacts& timing = *profile.timing;
  if (timing.first < 0) {  // another program states it, and no single run
    std::string out =
        fmt::format("Time {}, as {} states it\n", human_seconds(timing.median), timing.engine);
    for (const std::string& sentence : timing_caveats(timing)) out += sentence + "\n";
    return out;
  }
  const std::size_t all = std::max(timing.all_runs, timing.runs);
  std::string out = fmt::format("Time {}, median of {}{} run{}", human_seconds(timing.median),
                                all > timing.runs ? fmt::format("{} of ", timing.runs) : "", all,
                                all == 1 ? "" : "s");
  if (timing.sessions > 1) out += fmt::format(" in {} sessions", timing.sessions);
  if (timing.high > 0)
    out += fmt::format(" (95 %: {} to {})", human_seconds(timing.low), human_seconds(timing.high));
  out += fmt::format(", on {}{}, ", timing.engine, view_text(timing.view));
  out += timing.threads > 0
             ? fmt::format("{} thread{}", timing.threads, timing.threads == 1 ? "" : "s")
             : "threads as the engine likes";
  if (timing.open >= 0) out += fmt::format("; opened in {}", human_seconds(timing.open));
  out += fmt::format(
      "{} first run {}; layers from {} recorded run{}, {} a kernel subtracted for recording\n",
      timing.open >= 0 ? "," : ";", human_seconds(timing.first), timing.recorded,
      timing.recorded == 1 ? "" : "s", human_seconds(timing.probe));
  return out;
}

std::string roofline_text(const Profile& profile) {
  if (!profile.roofline) return "";
  const RooflineFacts& roof = *profile.roofline;
  const std::string whose =
      roof.threads == 0  // of a device that is not here
          ? roof.kernel
          : fmt::format("this machine, {} thread{}", roof.threads, roof.threads == 1 ? "" : "s");
  return fmt::format(
      "Roof of {}: {}FLOP/s ({}), {}B/s from memory; above {:.1f} FLOP/B arithmetic is the limit\n",
      whose, human(roof.flops_per_second), roof.threads == 0 ? "fp32" : roof.kernel,
      human(roof.bytes_per_second), roof.flops_per_second / roof.bytes_per_second);
}

// Says how much memory the engine took, beside the peak by liveness.
std::string taken_text(const Profile& profile, bool exact) {
  if (!profile.taken) return "";
  const TakenFacts& taken = *profile.taken;
  const auto size = [&](std::int64_t bytes) {
    return expr_text(Expr(bytes), NumberStyle::Bytes, exact) + (exact ? " B" : "");
  };
  std::string out =
      fmt::format("Memory on {}: {} at most{}; weights {}; {} kept after the run", taken.engine,
                  size(taken.peak),
                  taken.peak_layer.empty() ? "" : fmt::format(", while {} runs", taken.peak_layer),
                  taken.weights >= 0 ? size(taken.weights) : "not told", size(taken.left));
  if (const auto bound = profile.memory.peak_bytes.number()) {
    if (taken.peak > *bound)
      out += fmt::format(
          "; {} more than what is alive at once: scratch memory of kernels, rounding, "
          "and blocks that are freed only after the next allocation",
          size(taken.peak - *bound));
    if (taken.peak < *bound)
      out += fmt::format(
          "; {} less than what is alive at once: some kernels work in place, and the "
          "caller holds the inputs",
          size(*bound - taken.peak));
  }
  return out + "\n";
}

}  // namespace

std::string machine_text(const std::vector<std::pair<std::string, std::string>>& machine) {
  const auto fact = [&](std::string_view key) -> std::string {
    for (const auto& [known, value] : machine)
      if (known == key) return value;
    return "";
  };
  std::vector<std::string> parts;
  const auto add = [&](std::string_view key, std::string_view before, std::string_view after) {
    if (const std::string value = fact(key); !value.empty())
      parts.push_back(fmt::format("{}{}{}", before, value, after));
  };
  add("cpu", "", "");
  add("cores", "", fact("cores") == "1" ? " core" : " cores");
  add("l1", "L1 ", "");
  add("l2", "L2 ", "");
  add("l3", "L3 ", "");
  add("mhz", "", " MHz");
  add("max_mhz", "at most ", " MHz");
  add("governor", "governor ", "");
  add("load", "load ", " before");
  add("memory", "memory ", "");
  add("kernel", "", "");
  return parts.empty() ? "" : fmt::format("Machine: {}\n", fmt::join(parts, ", "));
}

// Names stand in lines of ours, so that none of them may break a line.
Profile with_visible_names(Profile profile) {
  const auto show = [](std::string& name) { name = visible(name); };
  show(profile.memory.peak_layer);
  for (Profile::AliveTensor& alive : profile.memory.at_peak) {
    show(alive.tensor);
    show(alive.layer);
  }
  if (profile.timing)
    for (std::string& node : profile.timing->unassigned) show(node);
  if (profile.taken) show(profile.taken->peak_layer);
  if (profile.device) show(profile.device->peak_layer);
  if (profile.arena)
    for (ArenaBlock& block : profile.arena->blocks) {
      show(block.tensor);
      show(block.first);
      show(block.last);
    }
  if (profile.summary) {
    for (auto* largest : {&profile.summary->most_params, &profile.summary->most_macs})
      if (*largest) show((*largest)->layer);
    for (auto& slow : profile.summary->slowest) show(slow.layer);
  }
  for (auto& symbol : profile.symbols) {
    show(symbol.name);
    show(symbol.origin);
  }
  for (std::string& op : profile.unknown_ops) show(op);
  for (std::string& note : profile.notes) show(note);
  for (std::string& note : profile.asides) show(note);
  return profile;
}

std::string footer_text(const Profile& profile, const TableStyle& style) {
  std::string out = torchstat_text(profile);
  if (profile.timing)
    for (const std::string& sentence : timing_caveats(*profile.timing)) out += sentence + "\n";
  out += taken_text(profile, style.exact);
  out += roofline_text(profile);
  out += load_work_text(profile, style);
  out += peak_text(profile, style.exact);
  out += device_text(profile, style.exact);
  out += phases_text(profile, style.exact);
  out += arena_text(profile, style);
  out += symbols_text(profile, style.phrase);
  if (const std::string sentence = uncounted_caveat(profile); !sentence.empty())
    out += sentence + "\n";
  for (const std::string& note : profile.notes) out += fmt::format("Note: {}\n", note);
  if (profile.hidden_rows > 0)
    out += phrased(style.phrase, make_error(Code::RowsHidden, {},
                                            fmt::format("{} row{} of constants and views not shown",
                                                        profile.hidden_rows,
                                                        profile.hidden_rows == 1 ? "" : "s"))) +
           "\n";
  out += summary_text(profile, style.exact);
  return out;
}

std::string asides_text(const Profile& profile) {
  std::string out = timing_text(profile) + machine_text(profile.machine);
  for (const std::string& note : profile.asides) out += fmt::format("Note: {}\n", note);
  return out;
}

}  // namespace strata
