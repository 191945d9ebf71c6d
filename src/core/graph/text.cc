#include "graph/text.h"

#include <charconv>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace strata {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <class T>
std::optional<T> parse(std::string_view text) {
  T number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Expr size_from_text(std::string_view word) {
  if (auto number = parse<std::int64_t>(word)) return Expr(*number);
  return Expr::symbol(word);
}

Scalar element_from_text(std::string_view word, DType dtype) {
  if (auto number = parse<std::int64_t>(word); number && !is_float(dtype)) return Scalar(*number);
  if (auto number = parse<double>(word)) return Scalar::real(*number);
  if (word == "true" || word == "false") return Scalar(std::int64_t{word == "true"});
  return Scalar(Expr::symbol(word));
}

Result<TypedValue> sequence_from_text(std::string_view text) {
  auto items = std::make_shared<std::vector<TypeInfo>>();
  for (std::string_view part : split_text(text, ',')) {
    auto item = type_from_text(part);
    if (!item) return item;
    items->push_back(std::move(item->type));
  }
  TypedValue parsed;
  if (!items->empty()) parsed.type = items->front();
  parsed.type.kind = ValueKind::Sequence;
  parsed.type.items = std::move(items);
  return parsed;
}

// Parses the lines of model_from_text().
class Builder {
 public:
  explicit Builder(int opset) : opset_(opset) {
    if (model_.graphs.empty()) model_.graphs.emplace_back();
    if (model_.scopes.empty()) model_.scopes.emplace_back();
    model_.opsets.push_back({"", opset});
  }

  Status line(std::string_view text) {
    if (text.starts_with("input ")) return tensor_line(text.substr(6), Role::Input);
    if (text.starts_with("weight ")) return tensor_line(text.substr(7), Role::Initializer);
    if (text.starts_with("output ")) {
      for (std::string_view name : split_text(text.substr(7), ','))
        model_.graph().outputs.push_back(id_of(name));
      return {};
    }
    return node_line(text);
  }
  Model finish() { return std::move(model_); }

 private:
  TensorId id_of(std::string_view name) {
    if (name == "_") return kNone;
    auto& tensors = model_.graph().tensors;
    auto [known, is_new] =
        ids_.try_emplace(std::string(name), static_cast<TensorId>(tensors.size()));
    if (is_new) {
      tensors.emplace_back();
      tensors.back().name = model_.keep(name);
    }
    return known->second;
  }

  Status tensor_line(std::string_view text, Role role) {
    const std::size_t space = text.find(' ');
    if (space == text.npos) return failure(fmt::format("no type in \"{}\"", text), ErrorKind::Bug);
    auto parsed = type_from_text(trimmed(text.substr(space)));
    if (!parsed) return failure(parsed);
    const TensorId id = id_of(text.substr(0, space));
    Tensor& tensor = model_.graph().tensors[id];
    tensor.type = std::move(parsed->type);
    tensor.role = role;
    if (role == Role::Input) model_.graph().inputs.push_back(id);
    if (role != Role::Initializer) return {};
    std::vector<std::int64_t> dims;
    for (const Expr& size : tensor.type->dims) dims.push_back(size.number().value_or(1));
    TensorData& data = model_.stored.emplace_back();
    data.name = tensor.name;
    data.dtype = tensor.type->dtype;
    data.dims = model_.keep(std::span<const std::int64_t>(dims));
    tensor.data = &data;
    if (parsed->value) tensor.value = model_.keep(std::move(*parsed->value));
    return {};
  }

  Status node_line(std::string_view text) {
    const std::size_t equals = text.find(" = "), open = text.find('('), close = text.find(')');
    if (equals == text.npos || open == text.npos || close == text.npos || close < open)
      return failure(fmt::format("\"{}\" is not like y = Op(x)", text), ErrorKind::Bug);
    std::vector<TensorId> inputs, outputs;
    for (std::string_view name : split_text(text.substr(open + 1, close - open - 1), ','))
      inputs.push_back(id_of(name));
    Node node;
    for (std::string_view name : split_text(text.substr(0, equals), ',')) {
      outputs.push_back(id_of(name));
      if (outputs.back() != kNone)
        model_.graph().tensors[outputs.back()].producer =
            static_cast<NodeId>(model_.graph().nodes.size());
    }
    std::string_view op = trimmed(text.substr(equals + 3, open - equals - 3));
    const std::size_t dot = op.rfind('.');
    if (dot != op.npos) node.domain = model_.keep(op.substr(0, dot)), op.remove_prefix(dot + 1);
    node.op = model_.keep(op);
    std::vector<Attribute> attributes;
    for (std::string_view word : split_text(text.substr(close + 1), ' ')) {
      if (word.empty()) continue;
      Attribute attribute = attribute_from_text(model_, word);
      if (attribute.name == "name")
        node.name = std::get<std::string_view>(attribute.value);
      else
        attributes.push_back(attribute);
    }
    node.inputs = model_.keep(std::span<const TensorId>(inputs));
    node.outputs = model_.keep(std::span<const TensorId>(outputs));
    node.attributes = model_.keep(std::span<const Attribute>(attributes));
    node.opset = node.domain.empty() ? opset_ : 1;
    model_.graph().nodes.push_back(node);
    return {};
  }

  int opset_;
  Model model_;
  std::map<std::string, TensorId> ids_;
};

}  // namespace

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char ch = i < text.size() ? text[i] : separator;
    if (ch == '"') quoted = !quoted;
    if (ch == '[' || ch == '(' || ch == '{') ++depth;
    if (ch == ']' || ch == ')' || ch == '}') --depth;
    if (i == text.size() || (ch == separator && depth == 0 && !quoted)) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

Result<TypedValue> type_from_text(std::string_view text) {
  if (text.starts_with("seq(") && text.ends_with(")"))
    return sequence_from_text(text.substr(4, text.size() - 5));
  const std::size_t open = text.find('['), close = text.find(']');
  const auto dtype = dtype_from_name(text.substr(0, open));
  if (!dtype || open == text.npos || close == text.npos || close < open)
    return failure(fmt::format("\"{}\" is not a type like f32[1,3]", text), ErrorKind::Bug);
  const std::string_view sizes = text.substr(open + 1, close - open - 1);
  if (sizes == "?") return TypedValue{TypeInfo::unranked(*dtype), std::nullopt};
  TypedValue parsed{TypeInfo::tensor(*dtype, {}), std::nullopt};
  for (std::string_view word : split_text(sizes, ','))
    parsed.type.dims.push_back(size_from_text(word));
  const std::size_t brace = text.find("={");
  if (brace == text.npos) return parsed;
  parsed.value.emplace();
  parsed.value->type = *dtype;
  for (const Expr& size : parsed.type.dims) parsed.value->dims.push_back(size.number().value_or(1));
  for (std::string_view word : split_text(text.substr(brace + 2, text.size() - brace - 3), ','))
    parsed.value->items.push_back(element_from_text(word, *dtype));
  return parsed;
}

Attribute attribute_from_text(Model& model, std::string_view text) {
  const std::size_t equals = text.find('=');
  Attribute attribute{model.keep(text.substr(0, equals)), {}};
  std::string_view words = text.substr(equals + 1);
  if (words.size() >= 2 && words.starts_with('"')) {
    attribute.value = model.keep(words.substr(1, words.size() - 2));
    return attribute;
  }
  const bool is_list = words.find(',') != words.npos;
  const bool is_real = words.find('f') != words.npos;
  if (words.ends_with(',')) words.remove_suffix(1);
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  for (std::string_view word : split_text(words, ',')) {
    if (is_real && word.ends_with('f')) word.remove_suffix(1);
    if (is_real)
      reals.push_back(parse<float>(word).value_or(0));
    else
      integers.push_back(parse<std::int64_t>(word).value_or(0));
  }
  if (is_list && is_real)
    attribute.value = model.keep(std::span<const float>(reals));
  else if (is_list)
    attribute.value = model.keep(std::span<const std::int64_t>(integers));
  else if (is_real)
    attribute.value = reals.at(0);
  else
    attribute.value = integers.at(0);
  return attribute;
}

Result<Model> model_from_text(std::string_view text, int opset) {
  Builder builder(opset);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(end, text.find('#'))));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (auto status = builder.line(line); !status) return failure(status);
  }
  return builder.finish();
}

}  // namespace strata
