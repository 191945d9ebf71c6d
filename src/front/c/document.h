// The document that a caller of the C interface holds: everything that a command would have
// printed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manual/advice.h"
#include "strata/c.h"
#include "strata/document/render.h"

struct strata_document {
  // Before the document, which refers to them: it goes first.
  std::vector<std::shared_ptr<void>> kept;
  std::optional<strata::Document> document;
  const strata::Renderer* renderer = nullptr;  // of the words' --format
  strata::TableStyle style;
  std::uint64_t most_bytes = 0;  // of a rendered document; 0: any number
  std::string printed;           // results that are not a document
  std::string error;             // for people
  std::map<std::string, std::string, std::less<>> error_fields;  // for programs; has `code`
  strata::manual::Audience audience = strata::manual::Audience::Program;
  std::vector<std::string> notes;
  // Made when they are asked for.
  std::optional<std::string> text, json;
  std::string rendered;
};

struct strata_stop {
  std::atomic<bool> set = false;
};

namespace strata::c {

// Runs `work`, which gives a code. What it throws becomes the document's error.
template <class Work>
int guarded(strata_document* document, const Work& work) noexcept;

// Renders the document, which has one.
Status render(strata_document& document, const Renderer& renderer, const TableStyle& style,
              std::string& text);

// Sets the error, its code and its fields, with advice for the document's audience.
void set_error(strata_document& document, const Error& error);
// Sets the error without throwing.
void set_error(strata_document* document, const char* sentence) noexcept;

template <class Work>
int guarded(strata_document* document, const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    set_error(document, "out of memory");
    return STRATA_CODE_FAILED;
  } catch (const std::length_error&) {
    set_error(document, "out of memory");
    return STRATA_CODE_FAILED;
  } catch (const std::exception& error) {
    set_error(document, error.what());
    return STRATA_CODE_BUG;
  } catch (...) {
    set_error(document, "a bug in strata: it ended without a message");
    return STRATA_CODE_BUG;
  }
}

}  // namespace strata::c
