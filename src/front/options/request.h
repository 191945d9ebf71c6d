// A command and its options as data: what callers of the C interface ask for as JSON, and what
// documents record. docs/json-schema.md describes it, data/schemas/request.json is its schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"

namespace strata::cli {

struct RequestOption {
  std::string name;                      // `--report`; `model` of a positional argument
  std::optional<bool> on = {};           // true or false was given, and no values
  std::vector<std::string> values = {};  // of an object, KEY=VALUE
};

struct Request {
  std::string command;  // `stat`, `zoo table`
  std::vector<RequestOption> options;
};

// Reads `{"command": "stat", "options": {"model": "m.onnx", "--top": 3, "--fuse": true}}`. The
// error says where the text is not a request; which options a command has is App::parse's business.
Result<Request> request_from_json(std::string_view text);

// Reads an object of options alone.
Result<std::vector<RequestOption>> options_from_json(std::string_view text);

// The request that a document records; options that were given more than once follow each other.
Request recorded_request(const std::vector<std::string>& command,
                         const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace strata::cli
