#include "strata/report/llm.h"

#include <cmath>

#include <fmt/format.h>

#include "report/llm_text.h"
#include "strata/base/number_text.h"
#include "strata/read/source.h"

namespace strata {

namespace {

using llm::Answer;
using llm::Network;

// Bytes, tokens and multiply-accumulates are whole.
Cell whole(double number) { return Cell(std::llround(number)); }

std::string short_name(const Network& network) {
  if (const Source source(network.name); source.is_zoo()) return source.short_name();
  std::string name = network.name;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

std::string in_parallel(const llm::Division& d) {
  std::string out;
  const auto add = [&](std::int64_t ways, const char* name) {
    if (ways > 1) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, ways);
  };
  add(d.tensor, "TP");
  add(d.pipeline, "PP");
  add(d.experts, "EP");
  return out;
}

std::string speed_sentence(const Answer& answer) {
  if (!answer.decode) return "How fast it runs there is unknown.";
  const Estimate all = rate_of(answer.decode->likely_s, answer.batch);
  const std::string bound =
      range_text({0, answer.batch / answer.decode->bound_s, answer.batch / answer.decode->bound_s});
  std::string out =
      fmt::format("Decode: likely {} tokens/s{}, at most {}; limited by {}.", range_text(all),
                  answer.batch > 1 ? " in all" : "", bound, name_of(answer.decode->limit));
  if (answer.batch > 1)
    out += fmt::format(" Each user gets {}.", range_text(rate_of(answer.decode->likely_s, 1)));
  if (answer.prefill)
    out += fmt::format(" First token of a prompt of {} after {}.", tokens_text(answer.context),
                       seconds_range(answer.prefill->likely_s));
  return out;
}

// `a cache in fp8 (--cache fp8)`
std::string fix_text(const llm::Fix& fix, const LlmWords& words) {
  std::string text, asked;
  const auto add = [&](const llm::Fix& one) {
    text += (text.empty() ? "" : " and ") + one.text;
    if (words.ask) asked += (asked.empty() ? "" : " ") + words.ask(one);
  };
  for (const llm::Fix& one : fix.with) add(one);
  add(fix);
  return asked.empty() ? text : fmt::format("{} ({})", text, asked);
}

std::string fix_sentence(const Answer& answer, const LlmWords& words) {
  if (answer.fixes.empty()) return "No single change that strata tries makes it fit.";
  std::string out =
      fmt::format("Cheapest change that makes it fit: {}.", fix_text(answer.fixes.front(), words));
  for (std::size_t i = 1; i < answer.fixes.size(); ++i)
    out += fmt::format("{} {}", i == 1 ? " Or" : ",", fix_text(answer.fixes[i], words));
  if (answer.fixes.size() > 1) out += ".";
  return out;
}

std::string verdict(const Network& network, const Answer& answer, const LlmWords& words) {
  const llm::Memory& memory = answer.memory;
  const std::string each = answer.count > 1 ? " on each" : "";
  const std::string where =
      fmt::format("{}{}", devices_text(answer),
                  answer.count > 1 ? " (" + in_parallel(answer.division) + ")" : "");
  if (memory.fits())
    return fmt::format("{} fits {} with {} to spare{}, at {} tokens and a batch of {}.\n{}\n",
                       short_name(network), where, gib_text(memory.spare()), each,
                       tokens_text(answer.context), tokens_text(answer.batch),
                       speed_sentence(answer));
  return fmt::format("{} does not fit {}: {} too little{}, at {} tokens and a batch of {}.\n{}\n",
                     short_name(network), where, gib_text(-memory.spare()), each,
                     tokens_text(answer.context), tokens_text(answer.batch),
                     fix_sentence(answer, words));
}

std::string cache_detail(const Network& network, const Answer& answer) {
  const llm::CachePerToken cache = cache_of(network, answer.cache_element_bytes);
  std::string out = fmt::format("{} × {} tokens × {}", human_bytes(cache.full),
                                tokens_text(answer.context), tokens_text(answer.batch));
  if (cache.windowed > 0) {
    std::int64_t window = 0;
    for (const llm::Layer& layer : network.layers) window = std::max(window, layer.window);
    const std::string near =
        fmt::format("{} × {} tokens × {} in windows", human_bytes(cache.windowed),
                    tokens_text(std::min(answer.context, static_cast<double>(window))),
                    tokens_text(answer.batch));
    out = cache.full > 0 ? out + ", " + near : near;
  }
  if (cache.full + cache.windowed == 0) return "none";
  return fmt::format("{}, {}", out, answer.cache_type);
}

Table memory_table(const Network& network, const Answer& answer, const LlmWords& words) {
  Table table{.name = "memory",
              .columns = {{"part", "Memory"},
                          {.name = "bytes", .title = "Bytes", .unit = Unit::Bytes},
                          {.name = "share", .title = "Share", .unit = Unit::Percent, .share = true},
                          {.name = "detail", .title = "Made of", .priority = 5}}};
  const llm::Memory& memory = answer.memory;
  const llm::Parameters parameters = parameters_of(network);
  const auto row = [&](const char* part, double bytes, std::string detail) {
    table.rows.push_back(
        {.cells = {part, whole(bytes), 100 * bytes / memory.device, std::move(detail)}});
  };
  std::string weights =
      fmt::format("{} × {}", human(static_cast<double>(parameters.all)), answer.weights.name);
  if (parameters.active != parameters.all)
    weights += fmt::format(", {} active", human(static_cast<double>(parameters.active)));
  if (answer.count > 1) weights += ", on the device with the most";
  row("weights", memory.weights.all(), weights);
  row("KV cache", memory.cache, cache_detail(network, answer));
  if (memory.states > 0)
    row("states", memory.states,
        fmt::format("{} × {} sequences", human_bytes(cache_of(network, 2).state),
                    tokens_text(answer.batch)));
  row("activations", memory.activations, "a chunk of the prompt, and logits");
  row("engine", memory.reserve,
      words.reserve.empty()
          ? fmt::format("assumed for {}", answer.reserve_engine)
          : fmt::format("assumed for {}; {} sets it", answer.reserve_engine, words.reserve));
  row(memory.fits() ? "free" : "missing", std::abs(memory.spare()),
      fmt::format("{} of {} may be used", gib_text(memory.usable), gib_text(memory.device)));
  return table;
}

Table phase_table(const Answer& answer) {
  Table table{
      .name = "phases",
      .columns = {
          {"phase", "Phase"},
          {.name = "macs", .title = "MACs", .unit = Unit::Macs},
          {.name = "bytes", .title = "Read and written", .unit = Unit::Bytes},
          {.name = "time", .title = "Time", .unit = Unit::Seconds, .type = ColumnType::Estimate},
          {.name = "bound", .title = "Bound", .unit = Unit::Seconds, .priority = 3},
          {"limit", "Limited by"},
          {.name = "traffic_bytes",
           .title = "Between devices",
           .unit = Unit::Bytes,
           .priority = 2}}};
  const auto row = [&](std::string phase, const llm::Work& work,
                       const std::optional<llm::StepTime>& time) {
    const double traffic = work.all_reduces * work.reduced_bytes + work.exchanged_bytes;
    table.rows.push_back(
        {.cells = {std::move(phase), whole(work.macs()), whole(work.bytes()),
                   time ? Cell(time->likely_s) : Cell(), time ? Cell(time->bound_s) : Cell(),
                   time ? Cell(name_of(time->limit)) : Cell(), whole(traffic)}});
  };
  row("prefill", answer.prefill_work, answer.prefill);
  row("decode", answer.decode_work, answer.decode);
  return table;
}

Cell spread_cell(const Estimate& e) {
  return Members{{"median", e.value}, {"low", e.low}, {"high", e.high}};
}

Members time_facts(const llm::StepTime& time) {
  return {{"likely_s", spread_cell(time.likely_s)},
          {"bound_s", time.bound_s},
          {"limit", name_of(time.limit)},
          {"matrices_s", time.matrices_s},
          {"experts_s", time.experts_s},
          {"attention_s", time.attention_s},
          {"overhead_s", time.overhead_s},
          {"traffic_s", time.traffic_s}};
}

Members setup_facts(const Answer& answer) {
  return {{"device", answer.device},
          {"count", answer.count},
          {"tensor_parallel", answer.division.tensor},
          {"pipeline_parallel", answer.division.pipeline},
          {"expert_parallel", answer.division.experts},
          {"weights", answer.weights.name},
          {"cache", answer.cache_type},
          {"engine", answer.engine},
          {"context", whole(answer.context)},
          {"batch", whole(answer.batch)}};
}

Cell tokens_cell(double tokens) { return tokens >= llm::kEndless ? Cell() : whole(tokens); }

std::string limits_text(const Network& network, const Answer& answer) {
  const double most = static_cast<double>(network.max_context);
  std::string out =
      fmt::format("Longest context, one sequence: {}", tokens_text(answer.longest_context));
  if (answer.longest_context < 1) return "Not one token fits.\n";
  if (answer.longest_context >= llm::kEndless) out = "The cache does not grow with the context";
  if (most > 0 && answer.longest_context > most)
    out += fmt::format(" fit, and the model was made for {}", tokens_text(most));
  return fmt::format("{}. Largest batch at {} tokens: {}.\n", out, tokens_text(answer.context),
                     tokens_text(answer.largest_batch));
}

std::vector<std::string> all_notes(const Network& network, const Answer& answer,
                                   const LlmWords& words) {
  std::vector<std::string> notes = network.notes;
  notes.insert(notes.end(), answer.notes.begin(), answer.notes.end());
  bool has_experts = false;
  for (const llm::Layer& layer : network.layers) has_experts = has_experts || layer.experts > 0;
  if (has_experts && answer.batch > 1 && answer.decode)
    notes.push_back(fmt::format(
        "experts read: from {:.0f} % of what independent choices would read to all of it",
        100 * answer.decode->least_experts));
  notes.emplace_back("not counted: speculation, shared prefixes, scheduling");
  if (!words.formulas.empty())
    notes.push_back(fmt::format("{} shows the formula behind a figure", words.formulas));
  return notes;
}

}  // namespace

Document llm_document(const Network& network, const Answer& answer, const LlmWords& words) {
  Document document = new_document("llm");
  document.facts = {{"model", llm_model_facts(network)},
                    {"setup", setup_facts(answer)},
                    {"fits", answer.memory.fits()},
                    {"spare_bytes", whole(answer.memory.spare())},
                    {"longest_context", tokens_cell(answer.longest_context)},
                    {"largest_batch", whole(answer.largest_batch)}};
  if (answer.decode) {
    document.facts.push_back(
        {"tokens_per_second", spread_cell(rate_of(answer.decode->likely_s, answer.batch))});
    document.facts.push_back({"most_tokens_per_second", answer.batch / answer.decode->bound_s});
    document.facts.push_back({"decode", time_facts(*answer.decode)});
  }
  if (answer.prefill) document.facts.push_back({"prefill", time_facts(*answer.prefill)});
  Cells fixes;
  for (const llm::Fix& fix : answer.fixes)
    fixes.emplace_back(Members{{"change", fix_text(fix, {})}, {"value", fix.value}});
  document.facts.push_back({"fixes", std::move(fixes)});
  document.tables = {memory_table(network, answer, words), phase_table(answer)};
  document.notes = plain_notes(all_notes(network, answer, words));
  // Every figure depends on what the network's own files leave open, and on what is assumed of the
  // device and the engine: these notes change the answer.
  for (std::size_t i = 0; i < network.notes.size() + answer.notes.size(); ++i)
    document.notes[i].changes_answer = true;
  document.sections = {answer_section(verdict(network, answer, words)),
                       {.table = "memory"},
                       lines_section(limits_text(network, answer)),
                       {.table = "phases"},
                       notes_section(document.notes)};
  document.sections[2].paragraph = true;
  return document;
}

namespace {

std::string list_verdict(const Network& network, std::span<const Answer> answers,
                         const Answer* smallest, const LlmWords& words) {
  std::size_t fitting = 0;
  while (fitting < answers.size() && answers[fitting].memory.fits()) ++fitting;
  if (answers.empty()) return "No device states a memory.\n";
  const Answer& first = answers.front();
  const std::string at = fmt::format("at {} tokens and a batch of {}", tokens_text(first.context),
                                     tokens_text(first.batch));
  if (fitting > 0)
    return fmt::format("{} fits {} of {} devices, {}. The smallest is {} ({}).\n{}\n",
                       short_name(network), fitting, answers.size(), at, first.title,
                       gib_text(first.memory.device), speed_sentence(first));
  std::string out =
      fmt::format("{} fits none of {} devices alone, {}.", short_name(network), answers.size(), at);
  if (smallest == nullptr) return out + " Up to 64 of one kind do not hold it either.\n";
  const llm::Fix more{llm::Fix::Change::Devices,
                      fmt::format("{}x{}", smallest->count, smallest->device),
                      fmt::format("{} × {}", smallest->count, smallest->title)};
  return fmt::format("{} The smallest that hold it are {}.\n{}\n", out, fix_text(more, words),
                     speed_sentence(*smallest));
}

}  // namespace

Document llm_document(const Network& network, const llm::Question& question,
                      std::span<const Answer> answers, const Answer* smallest,
                      const LlmWords& words) {
  Document document = new_document("llm");
  document.facts = {
      {"model", llm_model_facts(network)},
      {"context", whole(question.context > 0 ? question.context : usual_context(network))},
      {"batch", whole(question.batch)}};
  if (smallest != nullptr) document.facts.push_back({"smallest", setup_facts(*smallest)});
  Table table{
      .name = "devices",
      .columns = {{"device", "Device"},
                  {.name = "memory", .title = "Memory", .unit = Unit::Bytes},
                  {.name = "needed", .title = "Needed", .unit = Unit::Bytes, .priority = 2},
                  {.name = "fits", .title = "Fits", .type = ColumnType::Truth},
                  {.name = "spare", .title = "Spare", .unit = Unit::Bytes, .priority = 3},
                  {.name = "longest_context", .title = "Longest context", .unit = Unit::Count},
                  {.name = "largest_batch", .title = "Batch", .unit = Unit::Count, .priority = 1},
                  {.name = "tokens_per_second",
                   .title = "Tokens/s",
                   .unit = Unit::Number,
                   .type = ColumnType::Estimate},
                  {.name = "most_tokens_per_second",
                   .title = "At most",
                   .unit = Unit::Number,
                   .priority = 4},
                  {.name = "engine", .title = "Engine", .priority = 5}}};
  for (const Answer& one : answers) {
    const bool fits = one.memory.fits();
    table.rows.push_back(
        {.cells = {
             one.device, whole(one.memory.device), whole(one.memory.needed()), fits,
             whole(one.memory.spare()), tokens_cell(one.longest_context), whole(one.largest_batch),
             fits && one.decode ? Cell(rate_of(one.decode->likely_s, one.batch)) : Cell(),
             fits && one.decode ? Cell(one.batch / one.decode->bound_s) : Cell(), one.engine}});
  }
  document.tables.push_back(std::move(table));
  document.notes = urgent_notes(network.notes);
  if (!words.device.empty())
    document.notes.push_back(
        fmt::format("{} shows memory by part, prefill and decode of one device", words.device));
  document.sections = {answer_section(list_verdict(network, answers, smallest, words)),
                       {.table = "devices"},
                       notes_section(document.notes)};
  return document;
}

}  // namespace strata
