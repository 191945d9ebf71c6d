// A pull reader of XML: elements, attributes and short texts, as OpenVINO writes them. It makes no
// tree, follows no reference, and refuses documents that declare entities.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "read/torch/broken.h"
#include "read/torch/counting.h"

namespace strata::openvino {

using torch::Broken;

struct XmlAttribute {
  std::string_view name, value;
};

class Xml {
 public:
  enum class Event : std::uint8_t { Open, Close, End };

  // Values with references such as `&lt;` are decoded into the model's memory.
  Xml(torch::Counting& loading, std::string_view bytes) : loading_(loading), bytes_(bytes) {}

  // The next tag. An element without content opens and closes.
  Event next();
  std::string_view name() const { return name_; }
  const std::vector<XmlAttribute>& attributes() const { return attributes_; }
  // The value of an attribute of this element; empty if it has none.
  std::string_view attribute(std::string_view wanted) const;
  // The text between the last tag and this one, without space around it.
  std::string_view text() const { return text_; }
  // Goes to the end of the element that was opened last.
  void skip();

 private:
  [[noreturn]] void damaged(std::string_view what) const;
  void skip_past(std::string_view end);
  std::string_view read_name();
  void skip_space();
  void read_attributes();
  std::string_view decoded(std::string_view value);

  torch::Counting& loading_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool closes_ = false;  // the element that was opened has no content
  std::string_view name_, text_;
  std::vector<XmlAttribute> attributes_;
  std::vector<std::string_view> open_;
};

}  // namespace strata::openvino
