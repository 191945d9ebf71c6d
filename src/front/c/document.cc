#include "c/document.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error_fields.h"
#include "manual/advice.h"
#include "options/request.h"

namespace strata::c {

namespace {

using cli::RequestOption;

constexpr std::string_view kFlags[] = {"--exact", "--with-paths", "--no-rows"};
constexpr std::string_view kValued[] = {"--width", "--color", "--chart"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error wrong_value(const std::string& option, std::string_view why) {
  return make_error(Code::OptionValue, {.name = option, .detail = std::string(why)});
}

// Words, or the JSON of an object.
Result<std::vector<RequestOption>> read_options(const char* const* words, std::size_t count) {
  if (count == 1 && words[0] != nullptr && *words[0] == '{')
    return cli::options_from_json(words[0]);
  std::vector<RequestOption> options;
  for (std::size_t i = 0; i < count; ++i) {
    RequestOption option{words[i] == nullptr ? "" : words[i]};
    if (!is_one_of(option.name, kValued))
      option.on = true;
    else if (++i == count || words[i] == nullptr)
      return failure(wrong_value(option.name, "it needs a value"));
    else
      option.values = {words[i]};
    options.push_back(std::move(option));
  }
  return options;
}

Status set_value(TableStyle& style, const std::string& option, const std::string& value) {
  if (option == "--chart") {
    style.chart = value;
  } else if (option == "--color") {
    style.color = style.bars = value == "always";
  } else {
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, style.width);
    if (error != std::errc() || stop != end)
      return failure(wrong_value(option, "it needs a whole number"));
  }
  return {};
}

// The options of a table, which are those of the program.
Result<TableStyle> read_style(TableStyle style, const std::vector<RequestOption>& options) {
  style.phrase = manual::advised;
  for (const RequestOption& one : options) {
    if (is_one_of(one.name, kFlags)) {
      if (!one.on) return failure(wrong_value(one.name, "it is true or false"));
      (one.name == "--exact"     ? style.exact
       : one.name == "--no-rows" ? style.rows
                                 : style.with_paths) = *one.on != (one.name == "--no-rows");
    } else if (!is_one_of(one.name, kValued)) {
      return failure(
          Code::NoOption, {.name = one.name},
          fmt::format("there is no option \"{}\" of a document that is there; there are {}, {}",
                      one.name, fmt::join(kValued, ", "), fmt::join(kFlags, ", ")));
    } else if (one.on.value_or(false) || one.values.size() > 1) {
      return failure(wrong_value(one.name, "it needs a value"));
    } else if (!one.values.empty()) {
      if (Status status = set_value(style, one.name, one.values[0]); !status)
        return failure(status);
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
    const manual::AudienceScope audience(document->audience);
    std::optional<std::string>& known = document->*text;
    if (known) return 0;
    std::string all;
    if (document->document && renderer != nullptr)
      if (const Status status = render(*document, *renderer, document->style, all); !status) {
        set_error(*document, status.error());
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

void set_error(strata_document& document, const Error& error) {
  document.error = manual::advised_for(document.audience, error);
  document.error_fields.clear();
  for (const auto& [name, value] : named_fields(error)) document.error_fields.emplace(name, value);
  document.error_fields["code"] = code_name(error.code);
  document.error_fields["message"] = error.message;
}

void set_error(strata_document* document, const char* sentence) noexcept {
  if (document == nullptr) return;
  try {
    document->error = sentence;
    document->error_fields.clear();
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

const char* strata_document_error_code(const strata_document* document) {
  if (document == nullptr || document->error.empty()) return "";
  const auto code = document->error_fields.find("code");
  return code == document->error_fields.end() ? "general" : code->second.c_str();
}

const char* strata_document_error_field(const strata_document* document, const char* name) {
  if (document == nullptr || name == nullptr || document->error.empty()) return "";
  const std::string_view wanted = name;
  const auto field = document->error_fields.find(wanted);
  if (field != document->error_fields.end() && wanted != "code") return field->second.c_str();
  return wanted == "message" ? document->error.c_str() : "";
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
    const strata::manual::AudienceScope audience(document->audience);
    const auto refuse = [&](const strata::Error& error) {
      strata::c::set_error(*document, error);
      return strata::c::code_of(error);
    };
    if (!document->document)
      return refuse({.message = "there is no document: the command printed a text, or nothing",
                     .kind = strata::ErrorKind::Usage});
    const auto renderer = strata::find_renderer(format);
    if (!renderer) return refuse(renderer.error());
    const auto given = strata::c::read_options(options, option_count);
    if (!given) return refuse(given.error());
    const auto style = strata::c::read_style(document->style, *given);
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
