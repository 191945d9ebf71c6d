#include "read/onnx/entry.h"

#include "read/onnx/proto.h"

namespace strata::onnx {

KeyValue read_entry(Source& source, std::string_view message) {
  KeyValue entry;
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::entry::kKey:
        entry.key = f.bytes();
        break;
      case proto::entry::kValue:
        entry.value = f.bytes();
        break;
      default:
        f.skip();
    }
  }
  return entry;
}

}  // namespace strata::onnx
