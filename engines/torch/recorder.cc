#include "recorder.h"

#include <cmath>

#include "failure.h"
#include "json_text.h"

namespace strata::libtorch {

namespace {

// A call takes a kilobyte or two, and a loop that does not end would take all the memory that there
// is.
constexpr std::size_t kMostCalls = 1'000'000;

Failure too_many_calls() {
  return {STRATA_FAILED,
          fmt::format("its run calls more than {} modules or operators, which are too many to "
                      "record; a loop in it may have no end",
                      kMostCalls)};
}

constexpr const char* kMethod = "method";  // in the place of a class

thread_local Recorder* current_recorder = nullptr;

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& function) {
  if (current_recorder != nullptr) current_recorder->begin(function);
  return nullptr;
}

void end_call(const at::RecordFunction& function, at::ObserverContext*) {
  if (current_recorder != nullptr) current_recorder->end(function);
}

void add_row(std::string& rows, std::int64_t number, std::string_view name) {
  if (!rows.empty()) rows += ",\n";
  rows += fmt::format("[{},", number);
  add_quoted(rows, name);
  rows += ']';
}

// `aten.conv2d.default`, as Python prints it.
std::string target_of(const c10::OperatorName& name) {
  std::string target = name.name;
  if (const std::size_t colons = target.find("::"); colons != target.npos)
    target.replace(colons, 2, ".");
  return target + "." + (name.overload_name.empty() ? "default" : name.overload_name);
}

// Libtorch shows the whole stack of the interpreter; the operator's own values are the last ones.
std::span<const c10::IValue> last(std::span<const c10::IValue> stack, std::size_t count) {
  return stack.last(std::min(count, stack.size()));
}

std::string type_name(const torch::jit::Module& module) {
  const auto name = module.type()->name();
  return name ? name->name() : "";
}

std::string joined(const std::string& outer, const std::string& inner) {
  return outer.empty() || inner.empty() ? outer + inner : outer + "." + inner;
}

}  // namespace

Recorder::Recorder(const torch::jit::Module& module, const std::vector<CallSite>& sites, Tape& tape,
                   decltype(StrataOpen::knows) knows)
    : module_(module), sites_(sites), tape_(tape), knows_(knows) {
  for (const auto& each : module.named_modules()) {
    types_[each.name] = type_name(each.value);
    has_modules_[each.name] = each.value.children().size() > 0;
  }
  for (const auto& each : module.named_parameters())
    add_row(parameters_, tensors_.number(each.value), each.name);
  for (const auto& each : module.named_buffers())
    add_row(buffers_, tensors_.number(each.value), each.name);
}

Recorder::~Recorder() {
  if (handle_ != 0) at::removeCallback(handle_);
  if (current_recorder == this) current_recorder = nullptr;
}

void Recorder::add_input(const std::string& name, const c10::IValue& value) {
  const auto numbers = tensors_.numbers(value);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    add_row(inputs_, numbers[i], numbers.size() == 1 ? name : fmt::format("{}.{}", name, i));
}

void Recorder::start() {
  current_recorder = this;
  tape_.listener = this;
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin_call, end_call)
                                           .needsInputs(true)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
  push("", true, {});
}

void Recorder::push(const std::string& path, bool is_call, const c10::IValue& input) {
  std::int32_t row = open_.empty() ? -1 : open_.back().row;
  if (is_call) {
    RecordedModule module{path, types_[path], row, ++calls_of_[path]};
    row = static_cast<std::int32_t>(out_.modules.size());
    out_.modules.push_back(std::move(module));
  }
  open_.push_back({path, row, is_call, out_.calls.size(), out_.modules.size(),
                   is_call ? tensors_.numbers(input) : std::vector<std::int64_t>{}});
}

void Recorder::enter(std::int32_t site, const c10::IValue& input) {
  if (is_full_ || out_.modules.size() >= kMostCalls) throw too_many_calls();
  const CallSite& place = sites_.at(static_cast<std::size_t>(site));
  std::string path = joined(open_.back().path, place.path);
  if (!place.method.empty()) {
    path = joined(path, place.method);
    types_[path] = kMethod;
  }
  push(path, place.has_row(), input);
}

void Recorder::leave(const c10::IValue& output) {
  const Open done = std::move(open_.back());
  open_.pop_back();
  if (!done.is_call || out_.calls.size() != done.calls_before ||
      out_.modules.size() != done.rows_before || has_modules_[done.path])
    return;
  add_leaf(done, output);
}

// A call of a module without modules that ran no operator, such as Identity.
void Recorder::add_leaf(const Open& open, const c10::IValue& output) {
  if (!leaves_.empty()) leaves_ += ",\n";
  leaves_ += fmt::format("[{},", open.row);
  add_numbers(leaves_, open.inputs);
  leaves_ += ',';
  add_numbers(leaves_, tensors_.numbers(output));
  leaves_ += fmt::format(",{}]", out_.calls.size());
  const std::size_t node = out_.calls.size() + idle_.size();
  // It was left by the last event of the tape.
  idle_.push_back(
      {fmt::format("{} (no operator)", open.path), node, tape_.events.size() - 1, open.row});
}

void Recorder::add_argument(std::string& out, const c10::IValue& value,
                            const c10::Argument* declared) {
  if (value.isTensor()) {
    out += value.toTensor().defined()
               ? fmt::format("{{\"t\":{}}}", tensors_.number(value.toTensor()))
               : "null";
  } else if (value.isNone()) {
    out += "null";
  } else if (value.isBool()) {
    out += value.toBool() ? "true" : "false";
  } else if (value.isInt()) {
    auto type = declared != nullptr ? declared->real_type() : nullptr;
    if (type != nullptr)
      if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
    if (type != nullptr && type->kind() == c10::TypeKind::ScalarTypeType)
      out +=
          fmt::format("{{\"d\":\"{}\"}}", dtype_name(static_cast<at::ScalarType>(value.toInt())));
    else if (type != nullptr && type->kind() != c10::TypeKind::IntType &&
             type->kind() != c10::TypeKind::NumberType && type->kind() != c10::TypeKind::SymIntType)
      out += "{\"o\":\"a choice\"}";  // of a memory format or a layout
    else
      out += fmt::format("{}", value.toInt());
  } else if (value.isDouble() && std::isfinite(value.toDouble())) {
    out += fmt::format("{}", value.toDouble());
  } else if (value.isString()) {
    out += "{\"s\":";
    add_quoted(out, value.toStringRef());
    out += '}';
  } else if (value.isList() || value.isTensorList()) {
    out += '[';
    bool first = true;
    for (const c10::IValue& item : value.toList().vec()) {
      if (!first) out += ',';
      first = false;
      add_argument(out, item, nullptr);
    }
    out += ']';
  } else {
    out += fmt::format("{{\"o\":\"{}\"}}", value.tagKind());
  }
}

void Recorder::begin(const at::RecordFunction& function) {
  if (is_full_) return;
  Frame& frame = frames_.emplace_back();
  const auto name = function.operator_name();
  if (inside_known_ > 0 || !name) {
    inside_known_ += inside_known_ > 0 ? 1 : 0;
    return;
  }
  frame.target = target_of(*name);
  frame.known = knows_ == nullptr || knows_(frame.target.c_str()) != 0;
  const auto schema = function.operator_schema();
  std::size_t number = 0;
  const std::size_t declared_inputs =
      schema ? schema->arguments().size() : function.inputs().size();
  frame.results = schema ? schema->returns().size() : 0;
  for (const c10::IValue& value :
       last({function.inputs().data(), function.inputs().size()}, declared_inputs)) {
    if (number > 0) frame.arguments += ',';
    const bool declared = schema && number < schema->arguments().size();
    add_argument(frame.arguments, value, declared ? &schema->arguments()[number] : nullptr);
    ++number;
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      frame.input_types.push_back(dtype_number(tensor.scalar_type()));
    });
  }
  if (frame.known) inside_known_ = 1;
}

void Recorder::end(const at::RecordFunction& function) {
  if (is_full_ || frames_.empty()) return;  // it began before the recording
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (inside_known_ > 1) {
    --inside_known_;
    return;
  }
  inside_known_ = 0;
  // An operator without a rule is taken apart into those that it calls, if it calls any.
  bool recorded = !frame.target.empty() && (frame.known || !frame.inner_recorded);
  if (!frame.known && recorded) {  // a question, such as is_floating_point, is not work
    recorded = false;
    for (const c10::IValue& output : last(function.outputs(), frame.results))
      for_each_tensor(output, [&](const at::Tensor&) { recorded = true; });
  }
  if (recorded) write(frame, last(function.outputs(), frame.results));
  if (!frames_.empty() && (recorded || frame.inner_recorded)) frames_.back().inner_recorded = true;
}

// Numbers names like strata's recordings: `add`, `add_1`.
std::string Recorder::node_name(std::string_view target) {
  std::string name(target.substr(target.find('.') + 1));
  name = name.substr(0, name.find('.'));
  const int number = names_[name]++;
  return number == 0 ? name : fmt::format("{}_{}", name, number);
}

void Recorder::write(Frame& frame, std::span<const c10::IValue> outputs) {
  is_full_ = out_.calls.size() >= kMostCalls;
  if (is_full_) return;
  RecordedCall call;
  call.name = node_name(frame.target);
  call.segment = tape_.events.size();
  call.row = open_.back().row;
  call.input_types = std::move(frame.input_types);
  std::vector<std::int64_t> results;
  for (const c10::IValue& output : outputs)
    for_each_tensor(output, [&](const at::Tensor& tensor) {
      results.push_back(tensors_.made(tensor));
      call.output_dims.push_back(tensor.sizes().vec());
      call.output_types.push_back(dtype_number(tensor.scalar_type()));
    });
  if (!calls_.empty()) calls_ += ",\n";
  calls_ += "[";
  add_quoted(calls_, frame.target);
  calls_ += fmt::format(",[{}],{{}},", frame.arguments);
  add_numbers(calls_, results);
  calls_ += fmt::format(",{},0]", call.row);
  out_.calls.push_back(std::move(call));
}

Recording Recorder::finish(const c10::IValue& output) {
  at::removeCallback(handle_);
  handle_ = 0;
  current_recorder = nullptr;
  tape_.listener = nullptr;
  if (is_full_) throw too_many_calls();
  // A name that two nodes have does not say which is meant.
  std::map<std::string, int> count;
  for (const Idle& idle : idle_) ++count[idle.name];
  for (const Idle& idle : idle_) {
    std::string name = count[idle.name] == 1 ? idle.name : fmt::format("#{}", idle.node);
    if (out_.modules[static_cast<std::size_t>(idle.row)].type == kMethod)
      out_.idle_methods.push_back({std::move(name), idle.segment, idle.row, {}, {}, {}});
    else
      out_.idle.push_back(std::move(name));
  }
  out_.events = tape_.events;
  for (const CallSite& site : sites_) out_.has_row.push_back(site.has_row());
  std::string outputs, modules;
  const auto numbers = tensors_.numbers(output);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    add_row(outputs, numbers[i], numbers.size() == 1 ? "output" : fmt::format("output.{}", i));
  for (const RecordedModule& module : out_.modules) {
    if (!modules.empty()) modules += ",\n";
    modules += '[';
    add_quoted(modules, module.path);
    modules += ',';
    add_quoted(modules, module.type);
    modules += fmt::format(",{},{}]", module.parent, module.call - 1);
  }
  out_.text =
      fmt::format("{{\"strata_recording\":1,\"source\":\"torch {}\",\"name\":", TORCH_VERSION);
  add_quoted(out_.text, type_name(module_));
  for (const auto& [name, rows] : {std::pair<const char*, const std::string*>{"modules", &modules},
                                   {"tensors", &tensors_.rows()},
                                   {"parameters", &parameters_},
                                   {"buffers", &buffers_},
                                   {"inputs", &inputs_},
                                   {"outputs", &outputs},
                                   {"leaves", &leaves_},
                                   {"calls", &calls_}}) {
    out_.text += fmt::format(",\n\"{}\":[", name);
    out_.text += *rows;
    out_.text += ']';
  }
  out_.text += "}\n";
  return std::move(out_);
}

}  // namespace strata::libtorch
