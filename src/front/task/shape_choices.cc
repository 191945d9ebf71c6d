#include <algorithm>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "strata/infer/size_text.h"
#include "strata/task/bench.h"

namespace strata {

Result<std::vector<ShapeChoice>> parse_shape_choices(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("{}: {}; write it as min=1x3x224x224,opt=…,max=… with "
                               "INPUT:SHAPE+INPUT:SHAPE where a model has several inputs",
                               text, what),
                   ErrorKind::Usage);
  };
  std::vector<ShapeChoice> shapes;
  for (std::string_view part : comma_list(text)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    ShapeChoice& shape = shapes.emplace_back();
    shape.name = part.substr(0, equals);
    part.remove_prefix(std::min(equals + 1, part.size()));
    if (shape.name != "min" && shape.name != "opt" && shape.name != "max")
      return wrong(fmt::format("\"{}\" is none of min, opt, max", shape.name));
    for (std::size_t i = 0; i + 1 < shapes.size(); ++i)
      if (shapes[i].name == shape.name) return wrong(fmt::format("{} is given twice", shape.name));
    if (part.empty()) return wrong(fmt::format("{} has no sizes", shape.name));
    while (!part.empty()) {
      const std::string_view one = part.substr(0, part.find('+'));
      part.remove_prefix(std::min(one.size() + 1, part.size()));
      const std::size_t colon = one.rfind(':');
      auto dims = parse_dims(colon == one.npos ? one : one.substr(colon + 1));
      if (!dims) return wrong(dims.error().message);
      shape.sizes.emplace_back(colon == one.npos ? "" : std::string(one.substr(0, colon)),
                               std::move(*dims));
    }
  }
  if (shapes.empty()) return wrong("no shapes");
  if (shapes.size() > 1) shapes.push_back({"mix", {}});
  return shapes;
}

}  // namespace strata
