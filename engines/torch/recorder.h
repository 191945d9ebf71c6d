// Writes down one run of a module: every call of an operator, in which call of a module it was, and
// between which two events of the tape.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "instrument.h"
#include "strata/engine/plugin.h"
#include "tape.h"
#include "tensor_table.h"

namespace strata::libtorch {

// One call of an operator, and what a kernel says of it.
struct RecordedCall {
  std::string name;         // of the node that strata makes of it: `conv2d_1`
  std::size_t segment = 0;  // it ran before this event of the tape, and after the one before it
  std::int32_t row = -1;    // in Recording::modules
  std::vector<std::vector<std::int64_t>> output_dims;
  std::vector<std::int32_t> input_types, output_types;
};

struct RecordedModule {
  std::string path, type;
  std::int32_t parent = -1;
  std::uint64_t call = 1;  // of this module, from 1
};

struct Recording {
  std::vector<RecordedModule> modules;  // calls, in order of entry; the first is the model's own
  std::vector<RecordedCall> calls;
  std::vector<std::string> idle;           // nodes that run no operator
  std::vector<RecordedCall> idle_methods;  // likewise; their work is the interpreter's alone
  std::vector<bool> has_row;               // by call site
  std::vector<Event> events;               // of the tape; moments mean nothing
  std::string text;                        // what strata reads (docs/pytorch.md)
};

class Recorder : public TapeListener {
 public:
  Recorder(const torch::jit::Module& module, const std::vector<CallSite>& sites, Tape& tape,
           decltype(StrataOpen::knows) knows);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void add_input(const std::string& name, const c10::IValue& value);
  void start();  // from here on, what this thread calls is recorded
  Recording finish(const c10::IValue& output);

  void enter(std::int32_t site, const c10::IValue& input) override;
  void leave(const c10::IValue& output) override;

  // Called by libtorch around every operator. What they throw does not end the run: a run with too
  // many calls goes on without a recording to the next call of a module, or to its end.
  void begin(const at::RecordFunction& function);
  void end(const at::RecordFunction& function);

 private:
  struct Open {  // a call of a module
    std::string path;
    std::int32_t row;
    bool is_call;  // it has a row
    std::size_t calls_before, rows_before;
    std::vector<std::int64_t> inputs;
  };
  struct Frame {  // a call of an operator
    bool known = false, inner_recorded = false;
    std::size_t results = 0;  // values that it returns
    std::string target, arguments;
    std::vector<std::int32_t> input_types;
  };

  void push(const std::string& path, bool is_call, const c10::IValue& input);
  void add_leaf(const Open& open, const c10::IValue& output);
  void write(Frame& frame, std::span<const c10::IValue> outputs);
  void add_argument(std::string& out, const c10::IValue& value, const c10::Argument* declared);
  std::string node_name(std::string_view target);

  const torch::jit::Module& module_;
  const std::vector<CallSite>& sites_;
  Tape& tape_;
  decltype(StrataOpen::knows) knows_;
  at::CallbackHandle handle_ = 0;
  TensorTable tensors_;
  // Names come from the file: ordered maps, because no names collide in them.
  std::map<std::string, std::string, std::less<>> types_;  // of modules, by path
  std::map<std::string, bool, std::less<>> has_modules_;
  std::map<std::string, std::uint64_t, std::less<>> calls_of_;
  std::map<std::string, int, std::less<>> names_;
  struct Idle {  // a node that runs no operator
    std::string name;
    std::size_t node, segment;
    std::int32_t row;
  };
  std::vector<Idle> idle_;
  std::vector<Open> open_;
  std::vector<Frame> frames_;
  std::size_t inside_known_ = 0;
  bool is_full_ = false;
  Recording out_;
  std::string parameters_, buffers_, inputs_, calls_, leaves_;
};

}  // namespace strata::libtorch
