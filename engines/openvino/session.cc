#include "session.h"

#include <time.h>

#include <algorithm>

#include <fmt/format.h>
#include <openvino/runtime/exception.hpp>
#include <openvino/runtime/properties.hpp>

#include "engines/plugin_inputs.h"
#include "failure.h"
#include "model_file.h"
#include "strata/base/text_map.h"
#include "strata/cost/stored_precision.h"
#include "strata/infer/infer.h"

namespace strata::openvino {

namespace {

// Counters are means, cut to whole microseconds: a run is known to as many microseconds as there
// were runs. Models are compiled again after this many.
constexpr std::uint64_t kMaxCountedRuns = 64;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// One execution of a kernel; false if the caller wants no more.
bool give_kernel(const RunningKernel& kernel, std::uint64_t index, std::uint64_t run,
                 std::int64_t start_ns, std::int64_t duration_ns, void* user, StrataOnKernel each) {
  std::vector<const char*> sources;
  for (const std::string& source : kernel.sources) sources.push_back(source.c_str());
  std::vector<std::int32_t> ranks;
  std::vector<std::int64_t> dims;
  for (const auto& shape : kernel.output_dims) {
    ranks.push_back(static_cast<std::int32_t>(shape.size()));
    dims.insert(dims.end(), shape.begin(), shape.end());
  }
  StrataKernel out = ort::described(index, kernel, kernel.primitive, sources);
  out.run = run;
  out.start_ns = start_ns;
  out.duration_ns = duration_ns;
  out.output_count = static_cast<std::int32_t>(ranks.size());
  out.output_ranks = ranks.data();
  out.output_dims = dims.data();
  return each(user, &out) == 0;
}

using Outputs = TextMap<std::string, ov::Output<ov::Node>>;

Outputs outputs_by_name(const ov::Model& model) {
  Outputs out;
  for (const auto& op : model.get_ordered_ops())
    for (const auto& output : op->outputs())
      for (const std::string& name : output.get_names()) out.emplace(name, output);
  return out;
}

// A value that a Dropout or an Identity gives on unchanged has only the last of their names in
// OpenVINO's graph.
ov::Output<ov::Node> output_named(const Outputs& known, const Graph& graph, std::string name) {
  const std::string asked = name;
  for (const Node node : graph.nodes) {  // in the order in which they compute
    if (const auto found = known.find(name); found != known.end()) return found->second;
    const bool gives_on = node.op == "Dropout" || node.op == "Identity";
    if (gives_on && !node.inputs.empty() && node.inputs[0] != kNone && !node.outputs.empty() &&
        node.outputs[0] != kNone && graph.tensors[node.inputs[0]].name == name)
      name = graph.tensors[node.outputs[0]].name;
  }
  if (const auto found = known.find(name); found != known.end()) return found->second;
  throw Failure{STRATA_UNSUPPORTED,
                fmt::format("has no value \"{}\" in its graph, so it cannot be fetched", asked)};
}

std::vector<std::string> kernel_keys(const ov::Model& running) {
  std::vector<std::string> keys;
  for (const auto& op : ops_in_order(running))
    if (is_kernel(*op)) keys.push_back(op->get_friendly_name());
  return keys;
}

}  // namespace

Session::Session(const StrataOpen& open) : settings_(read_settings(open)) {
  ModelFile file(open);
  properties_ = properties_for(settings_, stored_precision(file.source()),
                               core().get_property("CPU", ov::device::capabilities));
  model_ = file.read();
  ports_.read_inputs(file.source());
  if (model_->inputs().size() != ports_.inputs().size())
    throw Failure{STRATA_FAILED, fmt::format("OpenVINO finds {} inputs where the file has {}",
                                             model_->inputs().size(), ports_.inputs().size())};
  add_outputs(open, file.source());
  const Marks marks(file.source(), *model_);
  if (settings_.each_node) marks.keep_apart(*model_);
  compile();
  if (!settings_.traces_time) {
    model_.reset();
    return;
  }
  // Shapes show which reshapes change nothing; without shapes, less can be said.
  [[maybe_unused]] const auto inferred = infer(file.source());
  const auto running = compiled_.get_runtime_model();
  graph_ = read_running_graph(file.source(), marks, *running);
  keys_ = kernel_keys(*running);
  find_what_runs();
}

// Some kernels turn out to move nothing: a Reshape, or a Reorder into the order that the data has.
// Only a run shows which, so one is made on zeros, if the sizes of the inputs are known.
void Session::find_what_runs() {
  for (RunningKernel& kernel : graph_.kernels) kernel.runs = kernel.op != "Reshape";
  for (const auto& input : compiled_.inputs())
    if (!input.get_partial_shape().is_static()) return;
  try {
    for (std::size_t i = 0; i < compiled_.inputs().size(); ++i) {
      ov::Tensor tensor = request_.get_input_tensor(i);
      if (tensor.get_byte_size() > 0)
        std::fill_n(static_cast<char*>(tensor.data()), tensor.get_byte_size(), '\0');
    }
    request_.infer();
    ++runs_;
    note_what_ran(counters());
    plan_is_final_ = true;
  } catch (const ov::Exception&) {  // zeros are not for every model
  }
}

// OpenVINO says of a kernel whose mean is below a microsecond that it did not run. A kernel that
// ran once is remembered; with known sizes the first run decides, so that one near a microsecond
// does not come and go between the plan and the runs.
void Session::note_what_ran(const Counters& counters) {
  if (plan_is_final_) return;
  for (std::size_t i = 0; i < graph_.kernels.size(); ++i)
    graph_.kernels[i].runs = (has_seen_run_ && graph_.kernels[i].runs) || counters.mean_us[i] >= 0;
  has_seen_run_ = true;
}

void Session::add_outputs(const StrataOpen& open, const Model& source) {
  const Graph& graph = source.graph();
  std::vector<std::string> names;
  for (const TensorId id : graph.outputs) names.emplace_back(graph.tensors[id].name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    output_numbers_.push_back(i);
    ports_.add_output(names[i], std::const_pointer_cast<const ov::Model>(model_)->output(i));
  }
  const Outputs known = open.fetch_count > 0 ? outputs_by_name(*model_) : Outputs();
  for (std::uint64_t i = 0; i < open.fetch_count; ++i) {
    const std::string name = open.fetch[i];
    const auto found = std::find_if(graph.tensors.begin(), graph.tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    if (name.empty() || found == graph.tensors.end() || found->role == Role::Captured)
      throw Failure{STRATA_WRONG_INPUT,
                    fmt::format("the model has no value \"{}\" to fetch", name)};
    if (found->role != Role::Activation)
      throw Failure{STRATA_WRONG_INPUT,
                    fmt::format("\"{}\" is {}: there is nothing to fetch", name,
                                found->role == Role::Input ? "an input" : "stored in the model")};
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    const ov::Output<ov::Node> added = model_->add_output(output_named(known, graph, name));
    // Values that are the same in OpenVINO's graph have one output there.
    const auto all = model_->outputs();
    const auto place = std::find(all.begin(), all.end(), added);
    if (place == all.end())
      throw Failure{STRATA_FAILED, fmt::format("OpenVINO cannot give the value \"{}\"", name)};
    output_numbers_.push_back(static_cast<std::size_t>(place - all.begin()));
    ports_.add_output(name, ov::Output<const ov::Node>(added.get_node(), added.get_index()));
  }
}

void Session::compile() {
  compiled_ = core().compile_model(model_, "CPU", properties_);
  request_ = compiled_.create_infer_request();
  for (const auto& [number, tensor] : inputs_) request_.set_input_tensor(number, tensor);
  runs_ = 0;
  counted_ = {};
}

void Session::renew() {
  compile();
  keys_ = kernel_keys(*compiled_.get_runtime_model());
  run_once();  // the first run of a compiled model is slower than the rest
}

void Session::bind(std::span<const StrataTensor> inputs) {
  if (const std::string mistake = input_mistake(ports_.inputs(), inputs); !mistake.empty())
    throw Failure{STRATA_WRONG_INPUT, mistake};
  std::vector<std::pair<std::size_t, ov::Tensor>> tensors;
  for (const StrataTensor& input : inputs) {
    const auto type = ov_type(input.dtype);
    if (type == ov::element::dynamic)
      throw Failure{STRATA_UNSUPPORTED,
                    fmt::format("input \"{}\" has a type that cannot be given", input.name)};
    const auto port =
        std::find_if(ports_.inputs().begin(), ports_.inputs().end(),
                     [&](const StrataPort& p) { return std::string_view(p.name) == input.name; });
    const ov::Shape shape(input.dims, input.dims + input.rank);
    static std::int64_t nothing = 0;  // empty tensors need an address
    void* data = input.data != nullptr ? const_cast<void*>(input.data) : &nothing;
    tensors.emplace_back(port - ports_.inputs().begin(), ov::Tensor(type, shape, data));
  }
  for (const auto& [number, tensor] : tensors) request_.set_input_tensor(number, tensor);
  inputs_ = std::move(tensors);
  bound_ = true;
}

void Session::run_once() {
  if (!bound_ && !ports_.inputs().empty())
    throw Failure{STRATA_WRONG_INPUT, input_mistake(ports_.inputs(), {})};
  if (cancelled_.exchange(false)) throw Failure{STRATA_CANCELLED, "cancelled"};
  try {
    request_.infer();
    ++runs_;
  } catch (const ov::Cancelled&) {
    cancelled_ = false;
    throw;
  }
}

void Session::run() { run_once(); }

void Session::cancel() {
  cancelled_ = true;
  request_.cancel();
}

void Session::run_traced(StrataTrace& trace) {
  if (settings_.traces_time && runs_ >= kMaxCountedRuns) renew();
  if (settings_.traces_time && counted_.runs != runs_) counted_ = counters();
  TracedRun run{traced_runs_, now_ns(), 0, {}};
  run_once();
  run.end_ns = now_ns();
  trace.start_ns = run.start_ns;
  trace.end_ns = run.end_ns;
  trace.run = traced_runs_++;
  if (settings_.traces_time) {
    Counters after = counters();
    run.times = run_times(counted_, after, static_cast<double>(run.end_ns - run.start_ns));
    note_what_ran(after);
    counted_ = std::move(after);
    traced_.push_back(std::move(run));
  }
  if (trace.on_output == nullptr) return;
  for (std::size_t i = 0; i < ports_.outputs().size(); ++i) {
    const ov::Tensor value = request_.get_output_tensor(output_numbers_[i]);
    const ov::Shape shape = value.get_shape();
    const std::vector<std::int64_t> dims(shape.begin(), shape.end());
    const StrataTensor out = {ports_.outputs()[i].name,
                              onnx_type(value.get_element_type()),
                              static_cast<std::int32_t>(dims.size()),
                              dims.data(),
                              value.get_size() > 0 ? value.data() : nullptr,
                              value.get_byte_size()};
    if (trace.on_output(trace.user, &out) != 0)
      throw Failure{STRATA_CANCELLED, "ended by its caller"};
  }
}

Counters Session::counters() {
  Counters out{runs_, std::vector<std::int64_t>(keys_.size(), -1)};
  if (runs_ == 0) return out;
  TextMap<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < keys_.size(); ++i) places.emplace(keys_[i], i);
  for (const ov::ProfilingInfo& info : request_.get_profiling_info())
    if (info.status == ov::ProfilingInfo::Status::EXECUTED)
      if (const auto place = places.find(info.node_name);
          place != places.end() && (!plan_is_final_ || graph_.kernels[place->second].runs))
        out.mean_us[place->second] = info.real_time.count();
  for (std::size_t i = 0; i < graph_.kernels.size(); ++i)
    if (has_seen_run_ && graph_.kernels[i].runs)
      out.mean_us[i] = std::max<std::int64_t>(out.mean_us[i], 0);
  return out;
}

void Session::kernels(void* user, StrataOnKernel each) {
  const std::vector<TracedRun> traced = std::exchange(traced_, {});
  for (const TracedRun& run : traced)
    if (!give(run, user, each)) throw Failure{STRATA_CANCELLED, "ended by its caller"};
}

bool Session::give(const TracedRun& run, void* user, StrataOnKernel each) const {
  double since = 0;  // the run began
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    if (run.times[i] < 0) continue;
    const auto start = run.start_ns + static_cast<std::int64_t>(since);
    since += run.times[i];
    const auto end = run.start_ns + static_cast<std::int64_t>(since);
    if (!give_kernel(graph_.kernels[i], i, run.number, start, end - start, user, each))
      return false;
  }
  return true;
}

void Session::plan(void* user, StrataOnKernel each) const {
  if (!settings_.traces_time)
    throw Failure{STRATA_UNSUPPORTED, "tells what it runs only in sessions that trace time"};
  for (std::size_t i = 0; i < graph_.kernels.size(); ++i)
    if (graph_.kernels[i].runs && !give_kernel(graph_.kernels[i], i, 0, 0, 0, user, each))
      throw Failure{STRATA_CANCELLED, "ended by its caller"};
}

std::vector<std::pair<std::string, std::string>> Session::absent() const {
  auto all = graph_.absent;
  TextSet<std::string_view> placed;
  for (const RunningKernel& kernel : graph_.kernels)
    if (kernel.runs) placed.insert(kernel.sources.begin(), kernel.sources.end());
  for (const RunningKernel& kernel : graph_.kernels)
    for (const std::string& source : kernel.sources)
      if (placed.insert(source).second)
        all.emplace_back(source, "takes no time: it gives memory of its input");
  return all;
}

}  // namespace strata::openvino
