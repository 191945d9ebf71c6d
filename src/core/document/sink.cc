#include <algorithm>

#include <fmt/format.h>

#include "strata/base/number_text.h"
#include "strata/document/render.h"

namespace strata {

Status TextSink::write(std::string_view piece) {
  text += piece;
  return {};
}

Status LimitedSink::write(std::string_view text) {
  if (text.size() > left_)
    return failure(Code::OverLimit, {},
                   fmt::format("the output is larger than {}, which is out of proportion to the "
                               "model; choose fewer rows or columns",
                               human_bytes(static_cast<double>(most_))));
  left_ -= text.size();
  return to_.write(text);
}

std::uint64_t most_output_bytes(std::uint64_t file_bytes, double factor) {
  constexpr double kAtLeast = 64 << 20, kTimes = 64, kMost = 9e18;
  return static_cast<std::uint64_t>(
      std::min((kAtLeast + kTimes * static_cast<double>(file_bytes)) * factor, kMost));
}

namespace {

std::string as_text(Status (*write)(const Document&, const TableStyle&, Sink&),
                    const Document& document, const TableStyle& style) {
  TextSink sink;
  (void)write(document, style, sink);  // a text takes everything
  return std::move(sink.text);
}

}  // namespace

std::string render_table(const Document& document, const TableStyle& style) {
  return as_text(write_table, document, style);
}
std::string render_csv(const Document& document, const TableStyle& style) {
  return as_text(write_csv, document, style);
}
std::string render_json(const Document& document, const TableStyle& style) {
  return as_text(write_json, document, style);
}
std::string render_markdown(const Document& document, const TableStyle& style) {
  return as_text(write_markdown, document, style);
}
std::string render_page(const Document& document, const TableStyle& style) {
  return as_text(write_page, document, style);
}

}  // namespace strata
