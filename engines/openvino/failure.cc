#include "failure.h"

#include <algorithm>
#include <exception>

#include <openvino/core/except.hpp>
#include <openvino/runtime/exception.hpp>

namespace strata::openvino {

namespace {

// `Exception from src/inference/src/cpp/core.cpp:97:` and `Check 'x' failed at src/…:12:` are lines
// of their own; the sentence follows them.
std::string without_places(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool place =
        line.starts_with("Exception from ") || (line.starts_with("Check '") && line.ends_with(":"));
    if (place || line.empty()) continue;
    if (!out.empty()) out += ' ';
    out += line;
  }
  while (!out.empty() && (out.back() == '.' || out.back() == ' ')) out.pop_back();
  return out;
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const ov::Cancelled&) {
    return {STRATA_CANCELLED, "cancelled"};
  } catch (const std::bad_alloc&) {
    return {STRATA_OUT_OF_MEMORY, "out of memory"};
  } catch (const std::exception& thrown) {
    const std::string_view text = thrown.what();
    const bool memory = text.find("bad_alloc") != text.npos || text.find("allocate") != text.npos;
    return {memory ? STRATA_OUT_OF_MEMORY : STRATA_FAILED, without_places(text)};
  } catch (...) {
    return {STRATA_FAILED, "failed without saying why"};
  }
}

}  // namespace strata::openvino
