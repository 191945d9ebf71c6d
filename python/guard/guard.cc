// libstrata_guard.so, which strata.optimize opens with ctypes: tells in one pass whether the
// modules that an engine replaces still are what they were.
//
// It needs no headers of Python's or torch's. The functions below are in Python's stable interface,
// and the process that opens the library has them. torch's record of a tensor is compared byte by
// byte; _guard.py finds out where that is, and tries whether every kind of change is seen. All of
// it runs with the interpreter's lock held (ctypes.PyDLL).

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#define GUARD_API extern "C" __attribute__((visibility("default")))

namespace {

struct Object;  // Python's PyObject

}  // namespace

extern "C" {
void Py_IncRef(Object*);
void Py_DecRef(Object*);
int PyDict_Next(Object*, std::ptrdiff_t*, Object**, Object**);
std::ptrdiff_t PyDict_Size(Object*);
std::ptrdiff_t PyList_Size(Object*);
Object* PyList_GetItem(Object*, std::ptrdiff_t);

// Where torch keeps what a tensor is.
struct StrataTensorLayout {
  std::size_t record;   // in the object of Python: the address of torch's record
  std::size_t counter;  // in the record: the address of the counter of changes
  std::size_t version;  // in the counter: 32 bits that count them
};
}

namespace {

// The kinds of change; a number from 0 on is that of a table.
constexpr int kNothing = -1, kHooks = -2, kWeights = -3;
// The record begins with a table of functions and a number of references, which come and go.
constexpr std::size_t kRecordStart = 16;

// The values of a table end there among those of all tables. Keys are hashed, because memory is
// what this waits for: they differ only if values change places, too.
struct Table {
  Object* table;
  std::size_t end, keys;
};

struct Weight {
  Object* tensor;
  const char* record;
  std::size_t bytes_end;  // of the record among those of all
  std::uint32_t version;
};

template <class T>
T read(const void* base, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
  return value;
}

std::size_t with_key(std::size_t keys, const Object* key) {
  return (keys ^ reinterpret_cast<std::size_t>(key)) * 0x9E3779B97F4A7C15;
}

// Keeps what it points to: an object that is gone could have another in its place.
class Guard {
 public:
  Guard(Object* tables, Object* empty, Object* tensors, Object* ignored,
        const StrataTensorLayout& layout);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  int changed() const;

 private:
  Object* keep(Object* object);
  void add_table(Object* table);
  void add_weight(Object* tensor);
  bool is_ignored(Object* key) const;
  std::size_t changed_table() const;
  std::uint32_t version_of(const char* record) const;
  bool weights_hold() const;

  StrataTensorLayout layout_;
  std::vector<Object*> kept_, values_, empty_, ignored_;
  std::vector<Table> tables_;
  std::vector<Weight> weights_;
  std::vector<char> bytes_;
};

Object* Guard::keep(Object* object) {
  Py_IncRef(object);
  kept_.push_back(object);
  return object;
}

Guard::Guard(Object* tables, Object* empty, Object* tensors, Object* ignored,
             const StrataTensorLayout& layout)
    : layout_(layout) {
  for (std::ptrdiff_t i = 0; i < PyList_Size(ignored); ++i)
    ignored_.push_back(keep(PyList_GetItem(ignored, i)));
  for (std::ptrdiff_t i = 0; i < PyList_Size(empty); ++i)
    empty_.push_back(keep(PyList_GetItem(empty, i)));
  for (std::ptrdiff_t i = 0; i < PyList_Size(tables); ++i) add_table(PyList_GetItem(tables, i));
  for (std::ptrdiff_t i = 0; i < PyList_Size(tensors); ++i) add_weight(PyList_GetItem(tensors, i));
}

Guard::~Guard() {
  for (Object* object : kept_) Py_DecRef(object);
}

void Guard::add_table(Object* object) {
  Table table{keep(object), 0, 0};
  std::ptrdiff_t at = 0;
  Object *key = nullptr, *value = nullptr;
  while (PyDict_Next(object, &at, &key, &value) != 0) {
    if (tables_.empty() && is_ignored(key)) continue;
    table.keys = with_key(table.keys, keep(key));
    values_.push_back(keep(value));
  }
  table.end = values_.size();
  tables_.push_back(table);
}

void Guard::add_weight(Object* tensor) {
  Weight weight{keep(tensor), read<char*>(tensor, layout_.record), 0, 0};
  const std::size_t size = malloc_usable_size(const_cast<char*>(weight.record));
  if (size > kRecordStart)
    bytes_.insert(bytes_.end(), weight.record + kRecordStart, weight.record + size);
  weight.bytes_end = bytes_.size();
  weight.version = version_of(weight.record);
  weights_.push_back(weight);
}

bool Guard::is_ignored(Object* key) const {
  for (const Object* each : ignored_)
    if (each == key) return true;
  return false;
}

// The number of a table, or how many there are if none has changed.
std::size_t Guard::changed_table() const {
  Object* const* expected = values_.data();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    Object* const* end = values_.data() + tables_[i].end;
    std::size_t keys = 0;
    std::ptrdiff_t at = 0;
    Object *key = nullptr, *value = nullptr;
    while (PyDict_Next(tables_[i].table, &at, &key, &value) != 0) {
      if (i == 0 && is_ignored(key)) continue;
      if (expected == end || *expected != value) return i;
      keys = with_key(keys, key);
      ++expected;
    }
    if (expected != end || keys != tables_[i].keys) return i;
  }
  return tables_.size();
}

std::uint32_t Guard::version_of(const char* record) const {
  return read<std::uint32_t>(read<const char*>(record, layout_.counter), layout_.version);
}

bool Guard::weights_hold() const {
  std::size_t start = 0;
  for (const Weight& each : weights_) {
    // Before what is in it: the record may be another tensor's now, or gone.
    if (read<const char*>(each.tensor, layout_.record) != each.record) return false;
    const std::size_t size = each.bytes_end - start;
    if (std::memcmp(each.record + kRecordStart, bytes_.data() + start, size) != 0) return false;
    if (version_of(each.record) != each.version) return false;
    start = each.bytes_end;
  }
  return true;
}

int Guard::changed() const {
  const std::size_t table = changed_table();
  if (table < tables_.size()) return static_cast<int>(table);
  for (Object* each : empty_)
    if (PyDict_Size(each) != 0) return kHooks;
  return weights_hold() ? kNothing : kWeights;
}

}  // namespace

// `tables` is a list of dictionaries that keep their values, but the first those with the keys in
// `ignored`; `empty` one of dictionaries that stay empty; `tensors` one of tensors that stay what
// they are.
GUARD_API void* strata_guard_new(Object* tables, Object* empty, Object* tensors, Object* ignored,
                                 const StrataTensorLayout* layout) {
  return new Guard(tables, empty, tensors, ignored, *layout);
}

// -1 if everything is as it was when the guard was made, -2 if a dictionary is no longer empty, -3
// if a tensor has changed, else the number of the table that has changed first.
GUARD_API int strata_guard_changed(const void* guard) {
  return static_cast<const Guard*>(guard)->changed();
}

GUARD_API void strata_guard_free(void* guard) { delete static_cast<Guard*>(guard); }
