// Engines that run models: plugins found on this machine, and sessions of them.
// The contract is strata/engine/plugin.h; here it is in C++, with Results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/plugin.h"
#include "strata/graph/dtype.h"
#include "strata/graph/graph.h"

namespace strata {

// A tensor with its elements, packed and row-major.
struct HostTensor {
  std::string name;
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;
  std::vector<std::byte> data;
};

// An input or output of a model as its engine sees it.
struct Port {
  std::string name;
  DType dtype = DType::Undefined;
  bool ranked = false;
  std::vector<std::int64_t> dims;    // -1: open
  std::vector<std::string> symbols;  // names of open sizes; as many as dims
};

enum class KernelKind : std::uint8_t { Compute, Layout, Cast, Other };

// One kernel of one run.
struct Kernel {
  std::uint64_t run = 0;    // Trace::run
  std::uint64_t index = 0;  // the same for the same kernel of the session
  std::string name, op, provider;
  KernelKind kind = KernelKind::Compute;
  std::vector<std::string> sources;  // nodes of the model, as node_keys() calls them
  std::int64_t start_ns = 0, duration_ns = 0;
  std::vector<std::vector<std::int64_t>> output_dims;
  // Undefined where the engine does not tell.
  DType dtype = DType::Undefined;  // that it computes in: I8 or U8 where it multiplies such
  std::vector<DType> input_types, output_types;
};

// One call of a module in one run, of engines that run modules.
struct ModuleCall {
  std::uint64_t run = 0;
  std::string path, type;
  std::uint64_t call = 1;  // of this module in this run
  std::int64_t enter_ns = 0, exit_ns = 0;
};

using Block = StrataBlock;

// The result of one traced run.
struct Trace {
  std::uint64_t run = 0;  // counts the traced runs of a session
  std::int64_t start_ns = 0, end_ns = 0;
  std::vector<Kernel> kernels;
  std::vector<Block> blocks;
  std::vector<HostTensor> outputs;
};

struct SessionOptions {
  std::string device = {};  // empty: the engine's own choice, as in the others
  std::string provider = {};
  std::string precision = {};
  int threads = 0;
  StrataOptimization optimization = STRATA_OPT_ALL;
  bool trace_time = false, trace_memory = false;
  std::vector<std::string> fetch = {};  // values inside the model
  // They may be given to visitors while the model runs and be gone after that: for those
  // who look at each once. Engines need not do so.
  bool fetch_early = false;
  // Nodes compute in the types that the model gives them: for rounding that is simulated.
  bool keep_types = false;
  std::vector<std::string> options = {};  // the engine's own, key=value
};

// A model in memory, with elements that it keeps outside of its bytes.
struct ModelBytes {
  std::string_view model;
  struct Stored {
    std::string location;
    std::string_view bytes;
  };
  std::vector<Stored> stored = {};
};

class Session;

class Engine {
 public:
  std::string_view name() const { return api_->name; }
  std::string_view release() const { return api_->release; }
  std::string_view library() const { return api_->library; }  // that does the work
  std::string_view formats() const { return api_->formats; }  // `onnx`
  const std::string& plugin() const { return plugin_; }       // the file that was opened
  // Starts and durations of kernels are rounded down to this.
  std::int64_t kernel_resolution_ns() const { return api_->kernel_resolution_ns; }
  // True if Session::plan() can be asked.
  bool tells_plan() const { return api_->plan != nullptr; }
  // True if it opens models that strata cannot read by itself, so that Session::record() can be
  // asked.
  bool records() const { return api_->record != nullptr; }

  struct Device {
    std::string name, note;
  };
  std::vector<Device> devices() const;
  // Runs a small model on it.
  Status probe(const std::string& device, const std::string& precision) const;

  Result<Session> open(const std::string& path, const SessionOptions& options) const;
  Result<Session> open(const ModelBytes& model, const SessionOptions& options) const;

  // From a function table: for plugins that are part of the program (tests).
  static Engine from(const StrataEngine* api, std::string plugin,
                     std::shared_ptr<void> library = nullptr);

 private:
  Result<Session> open(StrataOpen& open, const SessionOptions& options) const;

  const StrataEngine* api_ = nullptr;
  std::string plugin_;
  std::shared_ptr<void> library_;
};

// The engine's threads, for the code that is given a value. `each` is called with 0 to count - 1,
// several at once; where there are no threads, one after the other.
class EngineThreads {
 public:
  explicit EngineThreads(const StrataTrace& trace) : trace_(trace) {}
  bool there() const { return trace_.parallel != nullptr; }
  void run(std::size_t count, const std::function<void(std::size_t)>& each) const;

 private:
  const StrataTrace& trace_;
};

// A model opened by an engine.
class Session {
 public:
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  ~Session();

  std::vector<Port> inputs() const;
  std::vector<Port> outputs() const;
  // Inputs for all runs until others are bound; kept by the session.
  Status bind(std::vector<HostTensor> inputs);
  Status run();
  // With `kernels` the run's own are fetched at once, which may cost as much as opening
  // the session: for one run. A series of runs goes without and calls kernels() at its end.
  struct Wanted {
    bool kernels = true, blocks = false, outputs = false;
  };
  Result<Trace> run_traced(const Wanted& wanted);
  // The kernels of all traced runs since the last call, run by run.
  Result<std::vector<Kernel>> kernels();
  // Lists the kernels of a session that traces time, without running it. An error if the engine
  // cannot tell.
  Result<std::vector<Kernel>> plan();
  // Calls of modules of all traced runs since the last call, before kernels() is called.
  // Nothing if the engine runs no modules.
  Result<std::vector<ModuleCall>> modules();
  // Runs the model once, and returns what it did as a recording (docs/pytorch.md). Of a session
  // that traces time, of an engine that records.
  Result<std::string> record();
  // Like kernels(), without copying.
  Status visit_kernels(const std::function<void(const StrataKernel&)>& each);
  // Visits outputs (and fetched values) one at a time where the engine holds them, without copying,
  // in any order. A visitor that does not return true ends the run.
  Status run_visiting(const std::function<bool(const StrataTensor&)>& each);
  Status run_visiting(const std::function<bool(const StrataTensor&, const EngineThreads&)>& each);

  struct Absent {
    std::string node, reason;
  };
  std::vector<Absent> absent() const;  // nodes that run in no kernel
  std::int64_t weight_bytes() const;   // -1: not known
  void cancel();                       // from any thread

 private:
  friend class Engine;
  Session(const StrataEngine* api, StrataSession* session, std::shared_ptr<void> library)
      : api_(api), session_(session), library_(std::move(library)) {}

  const StrataEngine* api_ = nullptr;
  StrataSession* session_ = nullptr;
  std::shared_ptr<void> library_;
  std::vector<HostTensor> bound_;
};

// Returns the engines' names for the nodes of a model, for all of its graphs one after the other:
// the name, or `#` and a number where that is missing or not unique.
std::vector<std::string> node_keys(const Model& model);

// The folders that are searched for plugins, in order: those of `engine_path` (with
// colons between), of the variable STRATA_ENGINE_PATH, beside the program, and where
// strata was installed.
std::vector<std::string> engine_folders(const std::string& engine_path = "");
// The engine of this name: libstrata_engine_NAME.so in one of the folders. The error
// lists every place that was tried and why it was not the one.
Result<Engine> load_engine(const std::string& name, const std::string& engine_path = "");
// Names of the plugins in the folders, each once.
std::vector<std::string> engine_names(const std::string& engine_path = "");

}  // namespace strata
