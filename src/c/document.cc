#include "c/document.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "manual/advice.h"

namespace strata::c {

namespace {

// The options of a table, which are those of the program.
Result<TableStyle> read_style(TableStyle style, const char* const* options, std::size_t count) {
  style.phrase = manual::advised;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view option = options[i] == nullptr ? "" : options[i];
    if (option == "--exact") {
      style.exact = true;
      continue;
    }
    if (option == "--with-paths") {
      style.with_paths = true;
      continue;
    }
    if (option == "--no-rows") {
      style.rows = false;
      continue;
    }
    const bool known = option == "--width" || option == "--color" || option == "--chart";
    if (!known)
      return failure(fmt::format("there is no option \"{}\" of a document that is there; there are "
                                 "--width, --exact, --color, --chart, --with-paths and --no-rows",
                                 option),
                     ErrorKind::Usage);
    if (++i == count || options[i] == nullptr)
      return failure(fmt::format("{} needs a value", option), ErrorKind::Usage);
    const std::string_view value = options[i];
    if (option == "--chart") {
      style.chart = value;
    } else if (option == "--color") {
      style.color = style.bars = value == "always";
    } else {
      const char* const end = value.data() + value.size();
      const auto [stop, error] = std::from_chars(value.data(), end, style.width);
      if (error != std::errc() || stop != end)
        return failure("--width needs a whole number", ErrorKind::Usage);
    }
  }
  return style;
}

int code_of(const Error& error) {
  return error.kind == ErrorKind::Usage ? STRATA_CODE_USAGE
         : error.kind == ErrorKind::Bug ? STRATA_CODE_BUG
                                        : STRATA_CODE_FAILED;
}

// The texts that are made once.
const char* made(strata_document* document, std::optional<std::string> strata_document::*text,
                 std::size_t* size, const Renderer* renderer) {
  const int code = guarded(document, [&] {
    std::optional<std::string>& known = document->*text;
    if (known) return 0;
    std::string all;
    if (document->document && renderer != nullptr)
      if (const Status status = render(*document, *renderer, document->style, all); !status) {
        document->error = manual::advised(status.error());
        return code_of(status.error());
      }
    if (text == &strata_document::text) all += document->printed;
    known = std::move(all);
    return 0;
  });
  if (code != 0) return nullptr;
  const std::string& known = *(document->*text);
  if (size != nullptr) *size = known.size();
  return known.c_str();
}

}  // namespace

void set_error(strata_document* document, const char* sentence) noexcept {
  if (document == nullptr) return;
  try {
    document->error = sentence;
  } catch (...) {
    document->error.clear();  // the code alone says it
  }
}

Status render(strata_document& document, const Renderer& renderer, const TableStyle& style,
              std::string& text) {
  Document& own = *document.document;
  if (auto status = check_kind(renderer, own.kind); !status) return status;
  if (!renderer.row_by_row) hold_rows(own);
  TextSink all;
  LimitedSink limited(all, document.most_bytes);
  Sink& sink = document.most_bytes > 0 ? static_cast<Sink&>(limited) : all;
  if (auto status = renderer.write(own, style, sink); !status) return status;
  text = std::move(all.text);
  return {};
}

}  // namespace strata::c

using strata::c::guarded;

void strata_document_free(strata_document* document) { delete document; }

const char* strata_document_kind(const strata_document* document) {
  return document != nullptr && document->document ? document->document->kind.c_str() : "";
}

const char* strata_document_error(const strata_document* document) {
  return document == nullptr ? "out of memory" : document->error.c_str();
}

size_t strata_document_note_count(const strata_document* document) {
  return document == nullptr ? 0 : document->notes.size();
}

const char* strata_document_note(const strata_document* document, size_t number) {
  return document == nullptr || number >= document->notes.size() ? ""
                                                                 : document->notes[number].c_str();
}

const char* strata_document_text(strata_document* document, size_t* size) {
  if (document == nullptr) return nullptr;
  return strata::c::made(document, &strata_document::text, size, document->renderer);
}

const char* strata_document_json(strata_document* document, size_t* size) {
  if (document == nullptr) return nullptr;
  if (!document->document) {
    strata::c::set_error(document, "there is no document: the command printed a text, or nothing");
    return nullptr;
  }
  const auto renderer = strata::find_renderer("json");
  return strata::c::made(document, &strata_document::json, size, *renderer);
}

int strata_render(strata_document* document, const char* format, const char* const* options,
                  size_t option_count, const char** text, size_t* size) {
  if (text != nullptr) *text = nullptr;
  if (document == nullptr || format == nullptr || text == nullptr ||
      (options == nullptr && option_count > 0))
    return STRATA_CODE_USAGE;
  return guarded(document, [&] {
    const auto refuse = [&](const strata::Error& error) {
      document->error = strata::manual::advised(error);
      return strata::c::code_of(error);
    };
    if (!document->document)
      return refuse({.message = "there is no document: the command printed a text, or nothing",
                     .kind = strata::ErrorKind::Usage});
    const auto renderer = strata::find_renderer(format);
    if (!renderer) return refuse(renderer.error());
    const auto style = strata::c::read_style(document->style, options, option_count);
    if (!style) return refuse(style.error());
    if (const auto status = strata::c::render(*document, **renderer, *style, document->rendered);
        !status)
      return refuse(status.error());
    *text = document->rendered.c_str();
    if (size != nullptr) *size = document->rendered.size();
    return int{STRATA_CODE_FINE};
  });
}

size_t strata_document_table_count(const strata_document* document) {
  return document != nullptr && document->document ? document->document->tables.size() : 0;
}

const char* strata_document_table_name(const strata_document* document, size_t table) {
  return table < strata_document_table_count(document)
             ? document->document->tables[table].name.c_str()
             : "";
}
