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

// Empty if there is no such wire type.
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
  return "";
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

Fields::LongVarint Fields::long_varint(Fields here) {
  try {
    const std::uint64_t value = protozero::decode_varint(&here.at_, here.end_);
    return {value, here.at_};
  } catch (const protozero::end_of_buffer_exception&) {
    too_long(here, 1 + static_cast<std::uint64_t>(here.end_ - here.at_));
  } catch (const protozero::exception&) {
    here.source_->damaged(here.at_, "a number there has more than ten bytes");
  }
}

void Fields::bad_tag(Fields here) {
  here.source_->damaged(here.start_, here.number() == 0
                                         ? "a field there has the number 0, which none has"
                                         : "what stands there is no protobuf field");
}

void Fields::too_long(Fields here, std::uint64_t size) {
  const Source& source = *here.source_;
  const auto left = static_cast<std::uint64_t>(here.end_ - here.at_);
  if (here.end_ == source.bytes.data() + source.bytes.size())
    throw Broken{fmt::format(
        "{} ends early: at byte {} it announces {} more byte{}, but {} left; it was cut off, "
        "perhaps while it was copied: get the file again",
        source.label, here.at_ - source.bytes.data(), size, size == 1 ? "" : "s",
        left == 0   ? "none is"
        : left == 1 ? "one is"
                    : fmt::format("only {} are", left))};
  source.damaged(here.start_, fmt::format("field {} announces {} bytes where {} are left",
                                          here.number(), size, left));
}

void Fields::wrong_wire(Fields here, Wire wanted) {
  const std::string_view held = kind_of(here.wire());
  if (held.empty()) bad_tag(here);
  here.source_->damaged(here.start_, fmt::format("field {} holds {} where {} belongs",
                                                 here.number(), held, kind_of(wanted)));
}

}  // namespace strata::onnx
