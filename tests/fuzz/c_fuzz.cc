// Any words and any bytes give a document or a sentence, through the C interface: the first line of
// the input are the words of a command, the rest is the file memory:f. The bytes are also read as a
// document.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "strata/c.h"

namespace {

// Commands that neither write files, nor run models, nor start processes.
bool is_harmless(std::string_view word, bool first) {
  if (first)
    return word == "stat" || word == "diff" || word == "explain" || word == "payload" ||
           word == "lint" || word == "ops" || word == "check";
  return !word.starts_with("-o") && !word.starts_with("--o") && !word.starts_with("--s") &&
         !word.starts_with("--t") && !word.starts_with("--j") && !word.starts_with("--r") &&
         word.find('/') == std::string_view::npos && word != "-";
}

void look(strata_document* document) {
  std::size_t size = 0;
  strata_document_text(document, &size);
  strata_document_json(document, &size);
  for (std::size_t i = 0; i < strata_document_table_count(document); ++i) {
    ArrowArrayStream stream;
    if (strata_document_arrow(document, i, &stream) != STRATA_CODE_FINE) continue;
    ArrowSchema schema;
    ArrowArray rows;
    if (stream.get_schema(&stream, &schema) == 0) schema.release(&schema);
    if (stream.get_next(&stream, &rows) == 0 && rows.release != nullptr) rows.release(&rows);
    stream.release(&stream);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string_view bytes = all.substr(std::min(end + 1, all.size()));
  std::vector<std::string> words;
  for (std::string_view line = all.substr(0, end); !line.empty();) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string word(line.substr(0, space));
    if (is_harmless(word, words.empty())) words.push_back(word);
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const strata_file file = {"f", bytes.data(), bytes.size()};
  strata_call call = {};
  call.size = sizeof call;
  call.words = pointers.data();
  call.word_count = words.empty() ? 0 : pointers.size();
  call.files = &file;
  call.file_count = 1;
  strata_document* document = nullptr;
  const int code = strata_run(&call, &document);
  if (code == STRATA_CODE_BUG || document == nullptr) std::abort();
  // With several models, the table says what is wrong with each.
  if (code == STRATA_CODE_FAILED && *strata_document_error(document) == '\0' &&
      *strata_document_kind(document) == '\0')
    std::abort();
  look(document);
  strata_document_free(document);
  if (strata_read(bytes.data(), bytes.size(), &document) == STRATA_CODE_BUG) std::abort();
  look(document);
  strata_document_free(document);
  return 0;
}
