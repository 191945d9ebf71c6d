#include <algorithm>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "lint/readers.h"

namespace strata::lint {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 27;

// The first that recognises a file reads it.
constexpr ClaimFormat kFormats[] = {
    {"strata", "profiles and benchmarks of strata (JSON)", looks_like_document, read_document},
    {"onnxruntime", "ONNX Runtime's profile (JSON)", looks_like_onnxruntime, read_onnxruntime},
    {"trtexec", "trtexec's exported profile or times (JSON)", looks_like_trtexec, read_trtexec},
    {"trace", "Chrome and Kineto traces (JSON)", looks_like_trace, read_trace},
    {"html", "tables in HTML", looks_like_html, read_html},
    {"torchstat", "torchstat's table (text)", looks_like_torchstat, read_torchstat},
    {"listing", "lines of a name and a number, `conv1 :: 0.25` (text)", looks_like_listing,
     read_listing},
    {"markdown", "tables in Markdown, such as RASP's", looks_like_markdown, read_markdown},
    {"openvino", "reports of OpenVINO's benchmark_app (CSV)", looks_like_openvino, read_openvino},
    {"csv", "CSV with headings", looks_like_csv, read_csv},
};

}  // namespace

std::span<const ClaimFormat> formats() { return kFormats; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<Claims> claims_from_text(std::string_view text, const std::string& label) {
  if (text.size() > kMaxBytes)
    return failure(Code::FileBroken, {.file = label},
                   fmt::format("{}: it is larger than {} MiB", label, kMaxBytes >> 20));
  for (const ClaimFormat& format : kFormats) {
    if (!format.recognise(text)) continue;
    auto claims = format.read(text);
    if (!claims)
      return failure(coded(Code::FileBroken, {.file = label, .name = std::string(format.name)},
                           error_in(label, claims.error())));
    claims->file = label;
    claims->format = std::string(format.name);
    return claims;
  }
  std::string known;
  for (const ClaimFormat& format : kFormats)
    known += (known.empty() ? "" : "; ") + std::string(format.files);
  return failure(Code::FormatUnknown, {.file = label},
                 fmt::format("{}: it is none of what can be checked: {}", label, known));
}

Result<Claims> read_claims(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return claims_from_text((*file)->bytes(), path);
}

}  // namespace strata::lint
