// The readers of other tools' files, one file each. `looks_like_…` decides by the content; a read
// gives claims without a file name, or one sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/lint/lint.h"

namespace strata::lint {

bool looks_like_document(std::string_view text);  // strata's own
Result<Claims> read_document(std::string_view text);
bool looks_like_onnxruntime(std::string_view text);
Result<Claims> read_onnxruntime(std::string_view text);
bool looks_like_trace(std::string_view text);  // Chrome, Kineto
Result<Claims> read_trace(std::string_view text);
bool looks_like_trtexec(std::string_view text);
Result<Claims> read_trtexec(std::string_view text);
bool looks_like_torchstat(std::string_view text);
Result<Claims> read_torchstat(std::string_view text);
bool looks_like_listing(std::string_view text);  // `name :: number`
Result<Claims> read_listing(std::string_view text);
bool looks_like_html(std::string_view text);
Result<Claims> read_html(std::string_view text);
bool looks_like_markdown(std::string_view text);
Result<Claims> read_markdown(std::string_view text);
bool looks_like_openvino(std::string_view text);
Result<Claims> read_openvino(std::string_view text);
bool looks_like_csv(std::string_view text);
Result<Claims> read_csv(std::string_view text);

// Lines without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace strata::lint
