/* The contract between strata and an engine: a shared library that exports one C
 * function and runs models. It is in C, so that a plugin may be built with another compiler
 * and another standard library than strata; nothing throws across it.
 *
 * Rules that hold for every function below:
 *  - Text is UTF-8 and ends with a zero. Sizes are in bytes, times in nanoseconds of
 *    CLOCK_MONOTONIC.
 *  - What strata passes in stays valid until the call returns, unless a comment says that it
 *    stays longer. What a plugin passes to a callback is valid until the callback returns;
 *    what it returns by pointer is valid until the session is closed.
 *  - A function that can fail returns STRATA_OK, or another status after writing a sentence
 *    into `error` that says what failed, where, and what to do.
 *  - A session is used by one thread at a time; only `cancel` may be called from another.
 *
 * engines/fake is a complete plugin to start from. Every plugin must pass the suite
 * in tests/engines.
 */
#ifndef STRATA_ENGINE_PLUGIN_H
#define STRATA_ENGINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(modernize-use-using): C has no other way. */
#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_ENGINE_VERSION 2
#define STRATA_ENGINE_SYMBOL "strata_engine_v2"

typedef enum StrataStatus {
  STRATA_OK = 0,
  STRATA_FAILED = 1,      /* the engine says why */
  STRATA_UNSUPPORTED = 2, /* it lacks an operator, a type, a device or a feature */
  STRATA_WRONG_INPUT = 3, /* wrong name, type or shape; the sentence says what was expected */
  STRATA_OUT_OF_MEMORY = 4,
  STRATA_CANCELLED = 5
} StrataStatus;

typedef struct StrataError {
  char message[1024];
} StrataError;

/* A tensor in memory, packed, row-major. `dtype` is ONNX's number. */
typedef struct StrataTensor {
  const char* name;
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  uint64_t bytes;
} StrataTensor;

/* An input or output of the model. An open size is -1, and `symbols[i]` is its name or null. */
typedef struct StrataPort {
  const char* name;
  int32_t dtype;
  int32_t rank; /* -1: not known */
  const int64_t* dims;
  const char* const* symbols;
} StrataPort;

typedef enum StrataOptimization {
  STRATA_OPT_NONE = 0, /* every node runs as it is in the file */
  STRATA_OPT_BASIC = 1,
  STRATA_OPT_EXTENDED = 2,
  STRATA_OPT_ALL = 3
} StrataOptimization;

/* Bits that say what a session is opened for. More bits may make it slower. */
enum {
  STRATA_TRACE_TIME = 1,  /* run_traced records kernels, which `kernels` returns */
  STRATA_TRACE_MEMORY = 2 /* run_traced reports blocks */
};

/* Elements of a tensor that the model stores outside its bytes; this is how variants of one
 * model share their weights. They must outlive the session. */
typedef struct StrataStored {
  const char* location; /* as in the model's external data entries */
  const void* data;
  uint64_t bytes;
} StrataStored;

typedef struct StrataOpen {
  uint32_t size;     /* sizeof(StrataOpen), so that fields can be added at the end */
  const char* path;  /* a model file; if null, the next two fields are used */
  const void* model; /* the model's bytes; they need not outlive the call */
  uint64_t model_bytes;
  const StrataStored* stored;
  uint64_t stored_count;
  const char* device;    /* `cpu`, `cuda:0`; null: the engine's own choice */
  const char* provider;  /* the engine's own name for a backend, or null */
  const char* precision; /* what to compute in: `fp32`, `bf16`, `fp16`, `int8`; null: as stored */
  int32_t threads;       /* exactly this many; 0: the engine's own choice */
  int32_t optimization;  /* StrataOptimization */
  uint32_t trace;        /* STRATA_TRACE_… */
  const char* const* fetch; /* values inside the model that runs also return */
  uint64_t fetch_count;
  const char* const* options; /* the engine's own options, each `key=value` */
  uint64_t option_count;
  /* Not 0: fetched values may be passed to on_output while the model runs, each as soon as it
   * is computed, and need not be kept until the end. They are then not outputs of the session. */
  int32_t fetch_early;
  /* Not 0: every node computes in the element types that the model gives it, and a value that
   * the model rounds is rounded there. No optimization may change a node's types; other
   * optimizations are allowed. For runs that simulate rounding. */
  int32_t keep_types;
  /* Whether strata has a rule for an operator of PyTorch, `aten.conv2d.default`; not 0 if it has.
   * For engines that record runs: an operator that strata does not know is recorded as the
   * operators that it calls, if it calls any. Null: all are known. */
  int (*knows)(const char* op);
} StrataOpen;

/* The purpose of a kernel. */
typedef enum StrataKernelKind {
  STRATA_KERNEL_COMPUTE = 0, /* runs the source nodes it lists */
  STRATA_KERNEL_LAYOUT = 1,  /* moves data into another order; has no source node */
  STRATA_KERNEL_CAST = 2,    /* converts to another type; has no source node */
  STRATA_KERNEL_OTHER = 3
} StrataKernelKind;

/* One execution of a kernel. The time of a kernel that runs a body (Loop, If) includes the
 * body's kernels, which lie within it. */
typedef struct StrataKernel {
  uint64_t run;         /* StrataTrace::run of the run it belongs to */
  uint64_t index;       /* identifies the kernel within the session: a key for sums */
  const char* name;     /* the engine's own name */
  const char* op;       /* `Conv`, `FusedConv` */
  const char* provider; /* `CPUExecutionProvider` */
  int32_t kind;
  /* Nodes of the model, by name. A node without a name, or whose name is not unique, is given
   * as `#` and its number among all nodes, where nodes of bodies follow those of the main
   * graph. A node is in one list only; kernels that share the work of a list have equal
   * lists. */
  const char* const* sources;
  uint64_t source_count;
  int64_t start_ns;
  int64_t duration_ns;
  int32_t output_count; /* number of shapes; 0 if the engine does not tell */
  const int32_t* output_ranks;
  const int64_t* output_dims; /* of all outputs, one after the other */
  /* Element types, as ONNX's numbers; 0: not known. `dtype` is what the kernel computes in:
   * 1 (f32) if it multiplies floats, 2 or 3 (uint8, int8) if it multiplies 8-bit numbers,
   * whatever type it adds them up in. */
  int32_t dtype;
  int32_t input_type_count;
  const int32_t* input_types;
  int32_t output_type_count;
  const int32_t* output_types;
} StrataKernel;

/* One call of a module (`features.0.0`), for engines that run modules. The calls that a module
 * makes lie within its own call. */
typedef struct StrataModuleCall {
  uint64_t run;     /* StrataTrace::run */
  const char* path; /* "" is the model itself */
  const char* type; /* `Conv2d`; "" if the engine does not know it */
  uint64_t call;    /* number of the call of this module in this run, from 1 */
  int64_t enter_ns, exit_ns;
} StrataModuleCall;

/* A block of memory that was allocated or freed while the model ran. */
typedef struct StrataBlock {
  int64_t time_ns;
  int64_t bytes; /* negative: freed */
  uint64_t address;
  int64_t reserved_bytes; /* held by the allocator afterwards; -1: the engine does not tell */
  const char* device; /* `cuda:0`; null: the session's device. Valid while the session is open */
} StrataBlock;

typedef struct StrataSession StrataSession;

/* Callbacks. A return value other than 0 ends the run with STRATA_CANCELLED. */
typedef int (*StrataOnTensor)(void* user, const StrataTensor* tensor);
typedef int (*StrataOnKernel)(void* user, const StrataKernel* kernel);
typedef int (*StrataOnBlock)(void* user, const StrataBlock* block);
typedef int (*StrataOnModuleCall)(void* user, const StrataModuleCall* call);
typedef int (*StrataOnName)(void* user, const char* name, const char* note);
typedef int (*StrataOnText)(void* user, const char* text);

typedef struct StrataTrace {
  void* user;
  StrataOnTensor on_output; /* may be null, and so may on_block */
  StrataOnBlock on_block;
  /* Written by the plugin. */
  uint64_t run; /* counts the traced runs of the session from 0 */
  int64_t start_ns, end_ns;
  /* Not null while on_output is called, which may use the engine's threads, since they are
   * idle then. Calls each(user, 0) to each(user, count - 1), several at once, and returns
   * when all calls have returned. */
  void (*parallel)(const struct StrataTrace* trace, uint64_t count,
                   void (*each)(void* user, uint64_t number), void* user);
  const void* threads; /* the plugin's own data for `parallel` */
} StrataTrace;

typedef struct StrataEngine {
  uint32_t version;             /* STRATA_ENGINE_VERSION */
  const char* name;             /* `onnxruntime` */
  const char* release;          /* version of the library it uses: `1.27.0` */
  const char* library;          /* the file of that library, or "" */
  const char* formats;          /* formats it opens, separated by spaces: `onnx` */
  int64_t kernel_resolution_ns; /* start and duration of kernels are rounded down to this */

  /* The devices it can run on: `cpu`, `cuda:0`, with a note such as the processor's name. */
  int (*devices)(void* user, StrataOnName each);
  /* Finds out whether a precision works on a device by running a small model. */
  StrataStatus (*probe)(const char* device, const char* precision, StrataError* error);

  StrataStatus (*open)(const StrataOpen* options, StrataSession** session, StrataError* error);
  void (*close)(StrataSession* session);

  uint64_t (*input_count)(StrataSession* session);
  uint64_t (*output_count)(StrataSession* session);
  /* Null past the last. Values asked for with `fetch` follow the model's own outputs; those
   * that are outputs anyway are not repeated. */
  const StrataPort* (*input)(StrataSession* session, uint64_t index);
  const StrataPort* (*output)(StrataSession* session, uint64_t index);

  /* Sets the inputs for all runs until others are bound. A plugin may copy the elements or
   * refer to them: strata keeps them until the next `bind`. Checks names, types and shapes. */
  StrataStatus (*bind)(StrataSession* session, const StrataTensor* inputs, uint64_t count,
                       StrataError* error);
  /* Runs one inference, as fast as the engine can. Returns no outputs. */
  StrataStatus (*run)(StrataSession* session, StrataError* error);
  /* Runs one inference, returns its outputs and, if the session was opened for it, reports
   * its blocks and records its kernels. */
  StrataStatus (*run_traced)(StrataSession* session, StrataTrace* trace, StrataError* error);
  /* Returns the kernels of all traced runs since the last call, run by run. An engine may
   * have to recreate its session after this, so it is called after many runs, not after each. */
  StrataStatus (*kernels)(StrataSession* session, void* user, StrataOnKernel each,
                          StrataError* error);

  /* Returns the kernels of the session, each once, in running order if the engine knows it,
   * whether they have run or not: `run`, `start_ns` and `duration_ns` are 0, and shapes may be
   * missing. Runs nothing. For sessions opened with STRATA_TRACE_TIME; null if the engine
   * cannot tell before it runs. */
  StrataStatus (*plan)(StrataSession* session, void* user, StrataOnKernel each, StrataError* error);
  /* Returns the module calls of all traced runs since the last call, each before the calls that
   * it makes itself. Called before `kernels`. Null if the engine runs no modules. */
  StrataStatus (*modules)(StrataSession* session, void* user, StrataOnModuleCall each,
                          StrataError* error);

  /* Returns the nodes of the model that run in no kernel, with the reason: `folded into a
   * constant`, `computes what /a/b gives`. After `kernels`, every node is either here or in the
   * sources of a kernel that ran.
   * For sessions opened with STRATA_TRACE_TIME; others may return nothing. */
  int (*absent)(StrataSession* session, void* user, StrataOnName each);
  /* Bytes that the session holds for weights; -1 if the engine does not tell. */
  int64_t (*weight_bytes)(StrataSession* session);
  /* May be called from any thread. The current run, or the next if there is none, ends soon with
   * STRATA_CANCELLED. The runs after it are not affected. */
  void (*cancel)(StrataSession* session);

  /* For models that strata cannot read by itself: runs the model once on the bound inputs, and
   * returns what it did as a recording (docs/pytorch.md). The nodes of the model are those of the
   * recording. For sessions opened with STRATA_TRACE_TIME; null if strata reads every format that
   * the engine opens. */
  StrataStatus (*record)(StrataSession* session, void* user, StrataOnText each, StrataError* error);
} StrataEngine;

/* The one exported function. `version` is the version that strata supports. It returns null if
 * the plugin does not support it, or if the library that it needs is missing; `error` then says
 * what was looked for. */
typedef const StrataEngine* (*StrataEngineFunction)(uint32_t version, StrataError* error);

#if defined(_WIN32)
#define STRATA_ENGINE_EXPORT __declspec(dllexport)
#else
#define STRATA_ENGINE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-use-using) */

#endif
