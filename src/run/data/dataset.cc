#include "strata/data/dataset.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/dataset_items.h"
#include "data/dataset_labels.h"
#include "strata/data/inputs.h"

namespace strata {

struct Dataset::State {
  std::string path;
  DatasetOptions options;
  const Model* model = nullptr;   // for random samples
  std::vector<InputItems> items;  // one for each input; none: random
  std::int64_t total = 0;         // samples in the whole data set
  std::int64_t count = 0;         // samples that are used
  std::int64_t step = 1;
  std::string kind;   // `images`
  std::string steps;  // how images become elements
  std::vector<std::string> notes;

  std::int64_t source(std::int64_t i) const { return options.offset + i * step; }
};

namespace {

std::vector<std::int64_t> sizes(const Tensor& input) {
  std::vector<std::int64_t> out;
  for (const Expr& size : input.type->dims) out.push_back(size.number().value_or(-1));
  return out;
}

Result<InputItems> open_input(const Tensor& input, InputFiles files, bool only_input,
                              const DatasetOptions& options, std::string& steps_text) {
  if (input.type->kind != ValueKind::Tensor)
    return failure(fmt::format("input \"{}\" is not a tensor, and only these are read from files",
                               input.name));
  ItemType type = item_type(input);
  std::unique_ptr<ItemReader> reader;
  switch (files.kind) {
    case SampleKind::Npy:
      reader = npy_items(type);
      break;
    case SampleKind::Npz:
      reader = npz_items(type, only_input);
      break;
    case SampleKind::Pb:
      reader = pb_items(type);
      break;
    case SampleKind::Image: {
      auto steps = image_steps(options.images, input.name, input.type->dtype, sizes(input));
      if (!steps) return failure(steps);
      type.stacked = steps->batched;
      if (!steps->batched) type.batch = 1;
      steps_text = steps->text();
      reader = image_items(*steps, {options.most_pixels});
      break;
    }
  }
  return InputItems::open(std::move(type), std::move(files), std::move(reader));
}

// The arrays of one .npz file must have the same number of samples.
Status check_together(const std::vector<InputItems>& items) {
  const InputItems& a = items[0];
  for (const InputItems& b : items) {
    if (b.files().paths != a.files().paths) continue;
    for (std::size_t i = 0; i < a.files().paths->size(); ++i) {
      const std::int64_t in_a = a.start(i + 1) - a.start(i), in_b = b.start(i + 1) - b.start(i);
      if (in_a * b.type().batch != in_b * a.type().batch)
        return failure(fmt::format("{}: holds {} items for input \"{}\" and {} for \"{}\"",
                                   a.files().path(i), in_a, a.type().input, in_b, b.type().input));
    }
  }
  for (const InputItems& b : items)
    if (b.samples() != a.samples())
      return failure(
          fmt::format("{}: {} samples for input \"{}\" and {} for \"{}\"; each of one "
                      "goes with one of the other",
                      a.files().folder, a.samples(), a.type().input, b.samples(), b.type().input));
  return {};
}

}  // namespace

Dataset::Dataset(std::unique_ptr<State> state) : state_(std::move(state)) {}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Result<Dataset> Dataset::open(const std::string& path, const Model& inferred,
                              const DatasetOptions& options) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->options = options;
  state->model = &inferred;
  const Graph& graph = inferred.graph();
  if (options.samples < 0 || options.offset < 0)
    return failure("samples and offset cannot be negative", ErrorKind::Usage);
  if (options.random) {
    if (options.samples == 0) return failure(Code::EndlessSamples);
    // If an input cannot be made up, this says so early.
    if (auto first = random_inputs(inferred, options.seed); !first) return failure(first);
    state->kind = "random";
    state->total = state->count = options.samples;
    return Dataset(std::move(state));
  }
  if (graph.inputs.empty()) return failure("the model takes no inputs: there are no samples of it");
  std::vector<std::string> names;
  for (const TensorId id : graph.inputs) names.emplace_back(graph.tensors[id].name);
  auto found = find_files(path, names);
  if (!found) return failure(found);
  state->notes = std::move(found->notes);
  std::vector<std::string_view> kinds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view kind = text(found->inputs[i].kind);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    auto items = open_input(graph.tensors[graph.inputs[i]], std::move(found->inputs[i]),
                            names.size() == 1, options, state->steps);
    if (!items) return failure(items);
    state->items.push_back(std::move(*items));
  }
  state->kind = fmt::format("{}", fmt::join(kinds, ", "));
  if (auto fine = check_together(state->items); !fine) return failure(fine);

  const InputItems& first = state->items[0];
  state->total = first.samples();
  if (state->total == 0)
    return failure(fmt::format("{}: holds {} items, and a sample of the model takes {}", path,
                               first.count(), first.type().batch));
  if (const std::int64_t rest = first.count() % first.type().batch; rest != 0)
    state->notes.push_back(fmt::format("the last {} of {} items do not fill a batch of {}", rest,
                                       first.count(), first.type().batch));
  if (options.offset >= state->total)
    return failure(
        fmt::format("offset {}: there are {} samples in {}", options.offset, state->total, path),
        ErrorKind::Usage);
  const std::int64_t wanted = options.samples == 0 ? state->total : options.samples;
  if (options.spread) state->step = std::max<std::int64_t>(state->total / wanted, 1);
  const std::int64_t left = (state->total - options.offset - 1) / state->step + 1;
  state->count = std::min(wanted, left);
  if (options.samples > state->count)
    state->notes.push_back(
        fmt::format("{} samples were asked for and there are {}", options.samples, state->count));
  return Dataset(std::move(state));
}

std::int64_t Dataset::count() const { return state_->count; }

std::int64_t Dataset::batch() const {
  if (!state_->items.empty()) return state_->items[0].type().batch;
  const Graph& graph = state_->model->graph();
  return graph.inputs.empty() ? 1 : item_type(graph.tensors[graph.inputs[0]]).batch;
}

bool Dataset::random() const { return state_->options.random; }

Result<std::vector<HostTensor>> Dataset::sample(std::int64_t i) const {
  if (i < 0 || i >= state_->count)
    return failure(fmt::format("there is no sample {} of {}", i, state_->count), ErrorKind::Bug);
  const std::int64_t at = state_->source(i);
  if (random())
    return random_inputs(*state_->model, state_->options.seed + static_cast<std::uint64_t>(at));
  std::vector<HostTensor> inputs;
  for (const InputItems& items : state_->items) {
    auto tensor = items.read_sample(at);
    if (!tensor) return failure(tensor);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

std::string Dataset::name(std::int64_t i) const {
  if (random()) return fmt::format("random {}", state_->source(i));
  return state_->items[0].name(state_->source(i));
}

Result<std::vector<std::int64_t>> Dataset::labels(const Labels& given) const {
  if (random()) return failure("random samples have no labels", ErrorKind::Usage);
  const InputItems& items = state_->items[0];
  auto all = match_labels(given, items);
  if (!all) return failure(all);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < state_->count; ++i)
    for (std::int64_t k = 0; k < batch(); ++k) {
      auto label = all->of(state_->source(i) * batch() + k);
      if (!label) return failure(label);
      chosen.push_back(*label);
    }
  return chosen;
}

std::string Dataset::describe() const {
  const State& s = *state_;
  const std::string batches = batch() > 1 ? fmt::format(" of {} items", batch()) : "";
  const std::string from =
      s.options.offset > 0 ? fmt::format(" from number {} on", s.options.offset) : "";
  if (random())
    return fmt::format("{} random sample{}{}{}, seed {}: made up, not data", s.count,
                       s.count == 1 ? "" : "s", batches, from, s.options.seed);
  std::string out = s.count == s.total
                        ? fmt::format("{} sample{}", s.count, s.count == 1 ? "" : "s")
                        : fmt::format("{} of {} samples", s.count, s.total);
  out += batches + from;
  if (s.step > 1) out += fmt::format(", one in {}", s.step);
  out += fmt::format(", {} in {}", s.kind, s.path);
  return s.steps.empty() ? out : out + ": " + s.steps;
}

std::vector<std::pair<std::string, std::string>> Dataset::facts() const {
  const State& s = *state_;
  std::vector<std::pair<std::string, std::string>> out = {{"kind", s.kind}};
  const auto number = [](std::int64_t n) { return fmt::format("{}", n); };
  if (random()) {
    out.emplace_back("seed", fmt::format("{}", s.options.seed));
  } else {
    out.emplace_back("path", s.path);
    out.emplace_back("total", number(s.total));
  }
  out.emplace_back("samples", number(s.count));
  out.emplace_back("offset", number(s.options.offset));
  out.emplace_back("step", number(s.step));
  out.emplace_back("batch", number(batch()));
  if (!s.steps.empty()) out.emplace_back("images", s.steps);
  return out;
}

const std::vector<std::string>& Dataset::notes() const { return state_->notes; }

}  // namespace strata
