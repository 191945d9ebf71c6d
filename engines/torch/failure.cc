#include "failure.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include <fmt/format.h>

namespace strata::libtorch {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The last line that says something: before it stands a trace of the model's own code.
std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t start = text.rfind('\n');
  return start == text.npos ? text : text.substr(start + 1);
}

// Where the model's own code was, if the message has a trace of it: `File "…", line 5, in forward`.
std::string_view place(std::string_view text) {
  const std::size_t at = text.rfind("File \"");
  if (at == text.npos) return "";
  return text.substr(at, text.find('\n', at) - at);
}

Failure explain(std::string_view text) {
  for (const std::string_view mark : {"Unknown builtin op: ", "Could not find schema for "}) {
    const std::size_t at = text.find(mark);
    if (at == text.npos) continue;
    std::string_view op = text.substr(at + mark.size());
    op = op.substr(0, op.find_first_of(".\n "));
    return {
        STRATA_UNSUPPORTED,
        fmt::format("it calls the operator {}, which this PyTorch does not have; name the library "
                    "that has it with the engine's option library=FILE",
                    op)};
  }
  if (contains(text, "PytorchStreamReader failed") || contains(text, "file in archive is not in"))
    return {
        STRATA_UNSUPPORTED,
        fmt::format(
            "it is not a TorchScript file or package, which is what the engine torch opens ({})",
            last_line(text))};
  if (contains(text, "DefaultCPUAllocator: can't allocate memory") ||
      contains(text, "DefaultCPUAllocator: not enough memory"))
    return {STRATA_OUT_OF_MEMORY, std::string(last_line(text))};
  std::string_view line = last_line(text);
  for (const std::string_view start : {"RuntimeError: ", "Error: "})
    if (line.substr(0, start.size()) == start) line.remove_prefix(start.size());
  const std::string_view where = place(text);
  if (where.empty()) return {STRATA_FAILED, std::string(line)};
  return {STRATA_FAILED, fmt::format("{} ({})", line, where)};
}

}  // namespace

Failure explain_current() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const c10::Error& thrown) {
    return explain(thrown.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return {STRATA_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& thrown) {
    return explain(thrown.what());
  } catch (...) {
    return {STRATA_FAILED, "PyTorch failed and did not say why"};
  }
}

}  // namespace strata::libtorch
