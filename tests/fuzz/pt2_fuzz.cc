// Any bytes, read as a .pt2 archive, give a model or one sentence, in bounded time and memory. The
// same bytes are also read as the JSON program of an archive, which the fuzzer could not wrap
// itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "check_model.h"
#include "read/pt2/reader.h"
#include "read/zip/test_zip.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

namespace {

void read(std::string_view bytes) {
  const strata::ReadOptions options{.max_nodes = 5'000, .max_tensors = 20'000};
  auto model = strata::pt2::read(bytes, "fuzz", options);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return;
  }
  strata::fuzz::check(*model);
  if (strata::infer(*model)) strata::count(*model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strata::pt2::looks_like_archive(bytes);
  read(bytes);
  read(strata::unzip::test::zipped(
      {{"m/models/model.json", std::string(bytes)}, {"m/archive_format", "pt2"}}));
  return 0;
}
