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
    return failure(
        fmt::format("the output is larger than {}, which is out of proportion to the model; choose "
                    "fewer rows or columns",
                    human_bytes(static_cast<double>(most_))));
  left_ -= text.size();
  return to_.write(text);
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
