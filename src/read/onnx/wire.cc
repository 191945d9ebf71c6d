#include "read/onnx/wire.h"

#include <fmt/format.h>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

#include "base/in_quotes.h"
#include "read/onnx/node.h"

namespace strata::onnx {

namespace {

std::string place(const Source& source) {
  std::string text;
  if (source.node != nullptr) text = describe(*source.node);
  if (!source.function.empty())
    text += fmt::format("{}in function {}", text.empty() ? "" : " ", in_quotes(source.function));
  return text;
}

std::string_view kind_of(Fields::Wire wire) {
  switch (wire) {
    case Fields::Wire::Varint:
      return "an integer";
    case Fields::Wire::Fixed64:
      return "eight bytes";
    case Fields::Wire::Bytes:
      return "text, a list or a message";
    case Fields::Wire::Fixed32:
      return "four bytes";
  }
  return "nothing known";
}

}  // namespace

void Source::damaged(const char* at, std::string_view what) const {
  const std::string where = place(*this);
  throw Broken{fmt::format("{} is damaged at byte {}{}{}: {}; get the file again", label,
                           at - bytes.data(), where.empty() ? "" : ", in ", where, what)};
}

void Source::wrong(std::string_view what, Code code) const {
  const std::string where = place(*this);
  throw Broken{fmt::format("{}: {}{}{}", label, where, where.empty() ? "" : ": ", what), code};
}

std::uint64_t Fields::long_varint() {
  try {
    return protozero::decode_varint(&at_, end_);
  } catch (const protozero::end_of_buffer_exception&) {
    too_long(1 + static_cast<std::uint64_t>(end_ - at_));
  } catch (const protozero::exception&) {
    source_->damaged(at_, "a number there has more than ten bytes");
  }
}

void Fields::bad_tag() const {
  source_->damaged(start_, number_ == 0 ? "a field there has the number 0, which none has"
                                        : "what stands there is no protobuf field");
}

void Fields::too_long(std::uint64_t size) const {
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  if (end_ == source_->bytes.data() + source_->bytes.size())
    throw Broken{fmt::format(
        "{} ends early: at byte {} it announces {} more byte{}, but {} left; it was cut off, "
        "perhaps while it was copied: get the file again",
        source_->label, at_ - source_->bytes.data(), size, size == 1 ? "" : "s",
        left == 0   ? "none is"
        : left == 1 ? "one is"
                    : fmt::format("only {} are", left))};
  source_->damaged(
      start_, fmt::format("field {} announces {} bytes where {} are left", number_, size, left));
}

void Fields::wrong_wire(Wire wanted) const {
  source_->damaged(start_, fmt::format("field {} holds {} where {} belongs", number_,
                                       kind_of(wire_), kind_of(wanted)));
}

}  // namespace strata::onnx
