#include "failure.h"

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

namespace strata::ort {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The text between two marks; empty if they are not there.
std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t start = text.find(from);
  if (start == text.npos) return {};
  const std::size_t end = text.find(to, start + from.size());
  if (end == text.npos) return {};
  return text.substr(start + from.size(), end - start - from.size());
}

// Exceptions from ONNX Runtime's own checks start with a file, a line and a whole function
// signature; statuses start with `[ONNXRuntimeError] : 1 : FAIL : `.
std::string_view without_place(std::string_view text) {
  if (text.starts_with("/onnxruntime_src/")) {
    const std::size_t function = text.find(") ", text.find('('));
    if (function != text.npos) text.remove_prefix(function + 2);
  }
  if (const std::size_t status = text.find("[ONNXRuntimeError]"); status != text.npos) {
    text.remove_prefix(status);
    for (int colons = 0; colons < 3; ++colons)
      if (const std::size_t at = text.find(" : "); at != text.npos) text.remove_prefix(at + 3);
  }
  return text;
}

// `… running Conv node. Name:'c1' Status Message: … requested buffer of size 51380224`
std::string out_of_memory(std::string_view text) {
  std::string message = "out of memory";
  if (const auto node = between(text, "Name:'", "'"); !node.empty())
    message += fmt::format(" at node \"{}\"", node);
  if (const std::size_t at = text.find("buffer of size "); at != text.npos) {
    const std::string_view digits = text.substr(at + std::string_view("buffer of size ").size());
    message +=
        fmt::format(", for {} bytes", digits.substr(0, digits.find_first_not_of("0123456789")));
  }
  return message;
}

std::string trimmed(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  return out;
}

}  // namespace

Failure explain(const Ort::Exception& thrown) {
  const std::string_view text = thrown.what();
  if (contains(text, "terminate flag")) return {STRATA_CANCELLED, "cancelled"};
  if (contains(text, "bad_alloc") || contains(text, "bad allocation") ||
      contains(text, "Failed to allocate memory") || contains(text, "allocate memory for"))
    return {STRATA_OUT_OF_MEMORY, out_of_memory(text)};
  if (contains(text, "Could not find an implementation for")) {
    const auto op = between(text, "implementation for ", " node with name");
    const auto node = between(text, "node with name '", "'");
    return {STRATA_UNSUPPORTED, fmt::format("has no kernel for {}, which node \"{}\" needs for "
                                            "the types of its inputs",
                                            op, node)};
  }
  if (contains(text, "No Op registered for") || contains(text, "is not a registered function/op")) {
    // `In Node, ("name", Op, "domain", -1) : …`
    const auto node = between(text, "In Node, (\"", "\"");
    const auto op = between(text, "In Node, (\"" + std::string(node) + "\", ", ",");
    if (!op.empty())
      return {STRATA_UNSUPPORTED, fmt::format("has no operator {}, which node \"{}\" is; {}", op,
                                              node, "an extension or another release may have it")};
    return {STRATA_UNSUPPORTED, trimmed(without_place(text))};
  }
  const bool missing = thrown.GetOrtErrorCode() == ORT_NOT_IMPLEMENTED;
  return {missing ? STRATA_UNSUPPORTED : STRATA_FAILED, trimmed(without_place(text))};
}

Failure explain_current() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const Ort::Exception& thrown) {
    return explain(thrown);
  } catch (const std::bad_alloc&) {
    return {STRATA_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& thrown) {
    return {STRATA_FAILED, thrown.what()};
  }
}

}  // namespace strata::ort
