#include "c/arrow.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "c/arrow_columns.h"
#include "c/document.h"

namespace strata::c {

namespace {

constexpr std::int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

// Owns what a schema points to. Its children are released by whoever releases it.
struct SchemaParts {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<SchemaParts> parts(static_cast<SchemaParts*>(schema->private_data));
  for (ArrowSchema& child : parts->children)
    if (child.release != nullptr) child.release(&child);
  schema->release = nullptr;
}

// Pairs with their sizes before them, as Arrow has them in the machine's own order of bytes.
std::string metadata_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  if (pairs.empty()) return text;
  const auto number = [&](std::size_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    text.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  number(pairs.size());
  for (const auto& [key, value] : pairs) {
    number(key.size());
    text += key;
    number(value.size());
    text += value;
  }
  return text;
}

void fill(ArrowSchema& schema, std::unique_ptr<SchemaParts> parts, std::int64_t flags) {
  for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
  schema = {};
  schema.format = parts->format.c_str();
  schema.name = parts->name.c_str();
  schema.metadata = parts->metadata.empty() ? nullptr : parts->metadata.c_str();
  schema.flags = flags;
  schema.n_children = static_cast<std::int64_t>(parts->children.size());
  schema.children = parts->pointers.empty() ? nullptr : parts->pointers.data();
  schema.release = release_schema;
  schema.private_data = parts.release();
}

// Releases children that are already there if a later one cannot be made.
class Children {
 public:
  explicit Children(SchemaParts& parts, std::size_t count) : parts_(parts) {
    parts_.children.resize(count);
    parts_.pointers.reserve(count);
  }
  ~Children() {
    if (done_) return;
    for (ArrowSchema& child : parts_.children)
      if (child.release != nullptr) child.release(&child);
    parts_.children.clear();
  }
  void done() { done_ = true; }

 private:
  SchemaParts& parts_;
  bool done_ = false;
};

void make_schema(const std::vector<ArrowColumn>& columns, const std::string& format,
                 const std::string& name, const std::string& metadata, std::int64_t flags,
                 ArrowSchema& schema) {
  auto parts = std::make_unique<SchemaParts>();
  parts->format = format;
  parts->name = name;
  parts->metadata = metadata;
  Children children(*parts, columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    make_schema(columns[i].items, columns[i].format, columns[i].name,
                metadata_of(columns[i].metadata), kNullable, parts->children[i]);
  children.done();
  fill(schema, std::move(parts), flags);
}

// Owns the buffers of an array.
struct ArrayParts {
  ArrowColumn column;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::vector<const void*> buffers;
};

void release_array(ArrowArray* array) {
  const std::unique_ptr<ArrayParts> parts(static_cast<ArrayParts*>(array->private_data));
  for (ArrowArray& child : parts->children)
    if (child.release != nullptr) child.release(&child);
  array->release = nullptr;
}

// Everything that can fail is done by `room` before any child is made.
std::unique_ptr<ArrayParts> room(std::size_t children) {
  auto parts = std::make_unique<ArrayParts>();
  parts->children.resize(children);
  parts->pointers.reserve(children);
  parts->buffers.reserve(3);
  return parts;
}

void fill(ArrowArray& array, std::unique_ptr<ArrayParts> parts, std::int64_t length,
          std::int64_t nulls) {
  for (ArrowArray& child : parts->children) parts->pointers.push_back(&child);
  array = {};
  array.length = length;
  array.null_count = nulls;
  array.n_buffers = static_cast<std::int64_t>(parts->buffers.size());
  array.buffers = parts->buffers.data();
  array.n_children = static_cast<std::int64_t>(parts->children.size());
  array.children = parts->pointers.empty() ? nullptr : parts->pointers.data();
  array.release = release_array;
  array.private_data = parts.release();
}

void make_array(ArrowColumn column, ArrowArray& array) {
  auto parts = room(column.items.size());
  std::vector<ArrowColumn> items = std::move(column.items);
  parts->column = std::move(column);
  const ArrowColumn& own = parts->column;
  parts->buffers.push_back(own.nulls > 0 ? own.valid.data() : nullptr);
  if (own.format == "l") parts->buffers.push_back(own.wholes.data());
  if (own.format == "g") parts->buffers.push_back(own.reals.data());
  if (own.format == "b") parts->buffers.push_back(own.truths.data());
  if (!own.offsets.empty()) parts->buffers.push_back(own.offsets.data());
  if (own.format == "u") parts->buffers.push_back(own.letters.data());
  if (!items.empty()) make_array(std::move(items[0]), parts->children[0]);
  const std::int64_t length = own.length, nulls = own.nulls;
  fill(array, std::move(parts), length, nulls);
}

struct StreamParts {
  std::vector<ArrowColumn> columns;
  std::int64_t rows = 0;
  bool done = false;
  const char* error = nullptr;
};

StreamParts& parts_of(ArrowArrayStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

template <class Work>
int without_throwing(StreamParts& parts, const Work& work) {
  try {
    work();
    return 0;
  } catch (...) {
    parts.error = "out of memory";
    return ENOMEM;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  StreamParts& parts = parts_of(stream);
  return without_throwing(parts, [&] {
    if (parts.done) {  // the columns have been handed over
      parts.error = "the schema has to be asked for before the rows";
      throw std::runtime_error(parts.error);
    }
    make_schema(parts.columns, "+s", "", "", 0, *out);
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  StreamParts& parts = parts_of(stream);
  *out = {};
  if (parts.done) return 0;  // an array that is released is the end
  return without_throwing(parts, [&] {
    auto batch = room(parts.columns.size());
    batch->buffers.push_back(nullptr);
    std::size_t made = 0;
    try {
      for (; made < parts.columns.size(); ++made)
        make_array(std::move(parts.columns[made]), batch->children[made]);
    } catch (...) {
      for (std::size_t i = 0; i < made; ++i) batch->children[i].release(&batch->children[i]);
      throw;
    }
    parts.done = true;
    fill(*out, std::move(batch), parts.rows, 0);
  });
}

const char* last_error(ArrowArrayStream* stream) { return parts_of(stream).error; }

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamParts*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void make_stream(const Table& table, ArrowArrayStream& stream) {
  auto parts = std::make_unique<StreamParts>();
  parts->columns = arrow_columns(table);
  parts->rows = static_cast<std::int64_t>(row_count(table));
  stream = {get_schema, get_next, last_error, release_stream, parts.release()};
}

}  // namespace strata::c

int strata_document_arrow(strata_document* document, size_t table, ArrowArrayStream* stream) {
  if (stream == nullptr) return STRATA_CODE_USAGE;
  *stream = {};
  if (table >= strata_document_table_count(document)) {
    strata::c::set_error(document, "the document has no table of this number");
    return STRATA_CODE_USAGE;
  }
  return strata::c::guarded(document, [&] {
    strata::c::make_stream(document->document->tables[table], *stream);
    return int{STRATA_CODE_FINE};
  });
}
