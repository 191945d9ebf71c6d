#include "read/onnx/encoding.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/typed_data.h"

namespace strata::onnx {

namespace {

Result<std::string> elements(const TensorData& data) {
  const auto size = bytes(data.elements(), data.dtype).number();
  if (!size || *size < 0)
    return failure(fmt::format("the stored tensor {} has a size that cannot be counted",
                               in_quotes(data.name)));
  try {
    Source source{.bytes = data.encoded.bytes, .label = std::string(data.name), .function = {}};
    std::string unpacked(static_cast<std::size_t>(*size), '\0');
    const std::string problem = unpack_numbers(source, data.encoded.bytes, data.dtype, unpacked);
    if (!problem.empty())
      return failure(fmt::format("the stored tensor {} {}", in_quotes(data.name), problem));
    return unpacked;
  } catch (const Broken& broken) {
    return failure(broken.message);
  } catch (const std::bad_alloc&) {
    return failure(
        fmt::format("there is not enough memory for the stored tensor {}", in_quotes(data.name)));
  }
}

}  // namespace

const Encoding kEncoding = {"onnx", elements};

}  // namespace strata::onnx
