#include "read/weights/pickle.h"

#include <algorithm>
#include <concepts>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/weights/pickle_globals.h"
#include "read/weights/pickle_rebuild.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

class Machine {
 public:
  Machine(std::string_view bytes, const PickleLimits& limits) : bytes_(bytes), limits_(limits) {}

  Result<Pickle> run() {
    while (problem_.empty()) {
      const auto code = number<std::uint8_t>();
      if (!problem_.empty()) break;
      if (code == '.') {
        if (stack_.empty()) wrong("its pickle ends without a value");
        if (!problem_.empty()) break;
        out_.result = stack_.back();
        out_.bytes = at_;
        return std::move(out_);
      }
      step(code);
    }
    return failure(std::move(problem_));
  }

 private:
  void wrong(std::string sentence) {
    if (problem_.empty()) problem_ = std::move(sentence);
  }

  void too_large() {
    wrong(fmt::format("its pickle makes more than {} values, which no state dict does",
                      limits_.values));
  }

  // ---- What is in the bytes.

  bool has(std::uint64_t size) {
    if (size <= bytes_.size() - at_) return true;
    wrong(fmt::format("its pickle is cut off after {} bytes", bytes_.size()));
    return false;
  }
  template <std::unsigned_integral T>
  T number() {
    if (!has(sizeof(T))) return 0;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(
          value |
          static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i)));
    at_ += sizeof(T);
    return value;
  }
  std::string_view text(std::uint64_t size) {
    if (!has(size)) return {};
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return found;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == bytes_.npos) return wrong("its pickle is cut off within a name"), std::string_view();
    const std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }

  // ---- The stack.

  ValueId make(PickledValue value) {
    if (out_.values.size() >= limits_.values) return too_large(), 0;
    out_.values.push_back(std::move(value));
    return static_cast<ValueId>(out_.values.size() - 1);
  }
  void push(PickledValue value) {
    const ValueId id = make(std::move(value));
    if (problem_.empty()) stack_.push_back(id);
  }
  void push_number(std::int64_t value) { push({.kind = ValueKind::Number, .number = value}); }
  void push_text(std::string_view value) { push({.kind = ValueKind::Text, .text = value}); }

  // Where the values of the innermost mark begin; no operation reaches below it.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  bool has_values(std::size_t count) {
    if (stack_.size() - floor() >= count) return true;
    wrong("its pickle takes a value that is not there");
    return false;
  }
  ValueId pop() {
    if (!has_values(1)) return 0;
    const ValueId id = stack_.back();
    stack_.pop_back();
    return id;
  }
  std::vector<ValueId> pop_to_mark() {
    if (marks_.empty())
      return wrong("its pickle takes values that are not there"), std::vector<ValueId>();
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<ValueId> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return items;
  }
  void push_tuple(std::size_t count) {
    if (!has_values(count)) return;
    PickledValue tuple{.kind = ValueKind::List};
    tuple.items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    push(std::move(tuple));
  }
  // Adds to the list or dict on top of the stack.
  void extend(ValueKind kind, const std::vector<ValueId>& items) {
    if (!has_values(1)) return;
    PickledValue& top = out_.values[stack_.back()];
    if (top.kind != kind || (kind == ValueKind::Dict && items.size() % 2 != 0))
      return wrong("its pickle adds items to something that has none");
    top.items.insert(top.items.end(), items.begin(), items.end());
  }

  void remember(std::uint64_t place) {
    if (memo_.size() >= limits_.values) return too_large();
    if (has_values(1)) memo_[place] = stack_.back();
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return wrong("its pickle uses a value before it is made");
    stack_.push_back(found->second);
  }

  // ---- Names.

  void push_global(std::string_view module, std::string_view name) {
    if (!problem_.empty()) return;
    const int row = find_global(module, name);
    if (row < 0)
      return wrong(
          fmt::format("it is not a plain state dict: its pickle uses {}, which strata does not "
                      "load; save model.state_dict() alone, or as safetensors",
                      in_quotes(fmt::format("{}.{}", module, name))));
    push({.kind = ValueKind::Global, .number = row});
  }
  void push_global_of_stack() {
    if (!has_values(2)) return;
    const std::string_view name = out_.at(pop()).text, module = out_.at(pop()).text;
    push_global(module, name);
  }
  void call() {
    if (!has_values(2)) return;
    const ValueId arguments = pop(), function = pop();
    // A few bytes can name the same long list again and again, and each call copies it.
    const std::vector<ValueId>& given = out_.at(arguments).items;
    copied_ += given.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), kCopiedArguments); ++i)
      copied_ += out_.at(given[i]).items.size();
    if (copied_ > limits_.values) return too_large();
    take(rebuilt(out_, function, arguments));
  }
  void take(Result<PickledValue> made) {
    if (!made) return wrong(made.error().message);
    push(std::move(*made));
  }

  void step_number(std::uint8_t code);
  void step_text(std::uint8_t code);
  void step_list(std::uint8_t code);
  void step(std::uint8_t code);

  static constexpr std::size_t kCopiedArguments = 4;

  std::string_view bytes_;
  PickleLimits limits_;
  std::size_t copied_ = 0;  // items
  std::size_t at_ = 0;
  std::string problem_;
  Pickle out_;
  std::vector<ValueId> stack_;
  std::vector<std::size_t> marks_;
  NumberMap<ValueId> memo_;
};

void Machine::step_number(std::uint8_t code) {
  switch (code) {
    case 'J':
      return push_number(static_cast<std::int32_t>(number<std::uint32_t>()));
    case 'K':
      return push_number(number<std::uint8_t>());
    case 'M':
      return push_number(number<std::uint16_t>());
    case 0x88:
    case 0x89:
      return push_number(code == 0x88 ? 1 : 0);
    case 0x8a: {  // a number of this many bytes, in two's complement
      const std::size_t size = number<std::uint8_t>();
      const std::string_view digits = text(size);
      if (size > 8) return push({});  // beyond any size of a tensor
      std::uint64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
      for (std::size_t i = digits.size(); i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(digits[i]);
      return push_number(static_cast<std::int64_t>(value));
    }
    default:  // 'G', a fraction
      text(8);
      return push({});
  }
}

void Machine::step_text(std::uint8_t code) {
  switch (code) {
    case 'X':
    case 'T':
      return push_text(text(number<std::uint32_t>()));
    case 0x8c:
    case 'U':
      return push_text(text(number<std::uint8_t>()));
    case 0x8d:
      return push_text(text(number<std::uint64_t>()));
    case 'C':
      text(number<std::uint8_t>());
      return push({});
    case 'B':
      text(number<std::uint32_t>());
      return push({});
    default:  // 0x8e, bytes
      text(number<std::uint64_t>());
      return push({});
  }
}

void Machine::step_list(std::uint8_t code) {
  switch (code) {
    case '}':
      return push({.kind = ValueKind::Dict});
    case ']':
    case ')':
      return push({.kind = ValueKind::List});
    case 't':
    case 'l':
      return push({.kind = ValueKind::List, .items = pop_to_mark()});
    case 0x85:
    case 0x86:
    case 0x87:
      return push_tuple(code - 0x84u);
    case 'a': {
      const ValueId item = pop();
      return extend(ValueKind::List, {item});
    }
    case 'e':
      return extend(ValueKind::List, pop_to_mark());
    case 's': {
      const ValueId value = pop(), key = pop();
      return extend(ValueKind::Dict, {key, value});
    }
    default:  // 'u'
      return extend(ValueKind::Dict, pop_to_mark());
  }
}

void Machine::step(std::uint8_t code) {
  switch (code) {
    case 0x80: {
      const int protocol = number<std::uint8_t>();
      if (protocol < 2 || protocol > 5)
        wrong(fmt::format("its pickle has protocol {}; strata reads 2 to 5", protocol));
      return;
    }
    case 0x95:
      number<std::uint64_t>();
      return;
    case '(':
      return marks_.push_back(stack_.size());
    case '0':
      pop();
      return;
    case '1':
      pop_to_mark();
      return;
    case 'N':
      return push({});
    case 'J':
    case 'K':
    case 'M':
    case 'G':
    case 0x88:
    case 0x89:
    case 0x8a:
      return step_number(code);
    case 'X':
    case 'T':
    case 'U':
    case 'B':
    case 'C':
    case 0x8c:
    case 0x8d:
    case 0x8e:
      return step_text(code);
    case '}':
    case ']':
    case ')':
    case 't':
    case 'l':
    case 'a':
    case 'e':
    case 's':
    case 'u':
    case 0x85:
    case 0x86:
    case 0x87:
      return step_list(code);
    case 'q':
      return remember(number<std::uint8_t>());
    case 'r':
      return remember(number<std::uint32_t>());
    case 0x94:
      return remember(memo_.size());
    case 'h':
      return recall(number<std::uint8_t>());
    case 'j':
      return recall(number<std::uint32_t>());
    case 'c': {
      const std::string_view module = line(), name = line();
      return push_global(module, name);
    }
    case 0x93:
      return push_global_of_stack();
    case 'R':
      return call();
    case 'Q': {
      const ValueId id = pop();
      if (problem_.empty()) take(stored(out_, id));
      return;
    }
    case 'b':  // attributes of the value below: `_metadata` of a state dict
      pop();
      if (has_values(1) && out_.at(stack_.back()).kind != ValueKind::Dict)
        wrong("its pickle sets attributes of something else than a dict");
      return;
    default:
      return wrong(
          fmt::format("its pickle has the operation 0x{:02x} at byte {}, which no state dict "
                      "needs",
                      code, at_ - 1));
  }
}

}  // namespace

Result<Pickle> read_pickle(std::string_view bytes, const PickleLimits& limits) {
  return Machine(bytes, limits).run();
}

}  // namespace strata::weights
