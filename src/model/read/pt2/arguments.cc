#include "read/pt2/arguments.h"

#include <algorithm>
#include <optional>

namespace strata::pt2 {

namespace {

using Kind = Argument::Kind;

// {"name": "x"}
std::string_view read_name(JsonText& json) {
  std::string_view name;
  for (JsonObject member(json); member.next();) {
    if (member.key() == "name")
      name = json.string();
    else
      json.skip();
  }
  return name;
}

// {"as_tensor": {"name": "x"}} or {"as_none": true}
std::string_view read_optional_name(JsonText& json) {
  std::string_view name;
  read_union(json, [&](std::string_view kind) {
    if (kind != "as_tensor") return false;
    name = read_name(json);
    return true;
  });
  return name;
}

// Calls add(name) for each tensor of an argument of this kind; false if it is none of tensors.
template <class Add>
bool read_tensors(JsonText& json, std::string_view kind, const Add& add) {
  if (kind == "as_tensor") {
    add(read_name(json));
  } else if (kind == "as_optional_tensor") {
    add(read_optional_name(json));
  } else if (kind == "as_tensors") {
    for (JsonArray item(json); item.next();) add(read_name(json));
  } else if (kind == "as_optional_tensors") {
    for (JsonArray item(json); item.next();) add(read_optional_name(json));
  } else if (kind == "as_nested_tensors") {
    for (JsonArray list(json); list.next();)
      for (JsonArray item(json); item.next();) add(read_name(json));
  } else {
    return false;
  }
  return true;
}

template <class T, class Read>
std::span<const T> read_list(Loading& loading, JsonText& json, const Read& read) {
  std::vector<T> items;
  for (JsonArray item(json); item.next();) {
    loading.count_list_items(1);
    items.push_back(read());
  }
  return loading.model.keep(std::span<const T>(items));
}

// A number that may be the name of one: {"as_int": 3}, {"as_name": "sym_size"}. nullopt: a name.
template <class T, class Read>
std::optional<T> read_symbolic(JsonText& json, std::string_view number, const Read& read) {
  std::optional<T> value;
  read_union(json, [&](std::string_view kind) {
    if (kind != number) return false;
    value = read();
    return true;
  });
  return value;
}

// A list of them; it has no value if one is a name.
template <class T, class Read>
void read_symbolic_list(Loading& loading, JsonText& json, std::string_view number, const Read& read,
                        decltype(Attribute::value)& value) {
  std::vector<T> items;
  bool all = true;
  for (JsonArray item(json); item.next();) {
    loading.count_list_items(1);
    const auto known = read_symbolic<T>(json, number, read);
    all = all && known;
    items.push_back(known.value_or(T{}));
  }
  if (all) value = loading.model.keep(std::span<const T>(items));
}

// Kinds whose values no rule needs.
constexpr std::string_view kUnneeded[] = {
    "as_scalar_type",        "as_memory_format", "as_layout",    "as_device",      "as_custom_obj",
    "as_operator",           "as_complex",       "as_int_lists", "as_float_lists", "as_token",
    "as_string_to_argument",
};

bool read_value(Loading& loading, JsonText& json, std::string_view kind,
                decltype(Attribute::value)& value) {
  const auto integer = [&] { return json.integer(); };
  const auto real = [&] { return static_cast<float>(json.number()); };
  const auto truth = [&] { return std::int64_t{json.boolean()}; };
  const auto set = [&](const auto& known) {
    if (known) value = *known;
  };
  if (kind == "as_int") {
    value = json.integer();
  } else if (kind == "as_ints") {
    value = read_list<std::int64_t>(loading, json, integer);
  } else if (kind == "as_bool") {
    value = truth();
  } else if (kind == "as_bools") {
    value = read_list<std::int64_t>(loading, json, truth);
  } else if (kind == "as_float") {
    value = real();
  } else if (kind == "as_floats") {
    value = read_list<float>(loading, json, real);
  } else if (kind == "as_string") {
    value = json.string();
  } else if (kind == "as_strings") {
    value = read_list<std::string_view>(loading, json, [&] { return json.string(); });
  } else if (kind == "as_sym_int") {
    set(read_symbolic<std::int64_t>(json, "as_int", integer));
  } else if (kind == "as_sym_bool") {
    set(read_symbolic<std::int64_t>(json, "as_bool", truth));
  } else if (kind == "as_sym_float") {
    set(read_symbolic<float>(json, "as_float", real));
  } else if (kind == "as_sym_ints") {
    read_symbolic_list<std::int64_t>(loading, json, "as_int", integer, value);
  } else if (kind == "as_sym_bools") {
    read_symbolic_list<std::int64_t>(loading, json, "as_bool", truth, value);
  } else if (kind == "as_sym_floats") {
    read_symbolic_list<float>(loading, json, "as_float", real, value);
  } else if (std::find(std::begin(kUnneeded), std::end(kUnneeded), kind) != std::end(kUnneeded)) {
    json.skip();
  } else {
    return false;
  }
  return true;
}

void read_argument(Loading& loading, JsonText& json, NodeText& text, Argument& argument) {
  read_union(json, [&](std::string_view kind) {
    if (kind == "as_none") {
      json.skip();
      return true;
    }
    argument.first = static_cast<std::uint32_t>(text.tensors.size());
    if (read_tensors(json, kind, [&](std::string_view name) { text.tensors.push_back(name); })) {
      argument.kind = Kind::Tensors;
      argument.is_list = kind.ends_with('s');
      argument.count = static_cast<std::uint32_t>(text.tensors.size()) - argument.first;
      return true;
    }
    if (kind == "as_graph") {
      argument.kind = Kind::Graph;
      for (JsonObject member(json); member.next();) {
        const std::string_view value = json.skip();
        if (member.key() == "graph") argument.graph = value;
      }
      return true;
    }
    argument.kind = Kind::Value;
    if (read_value(loading, json, kind, argument.value)) return true;
    argument.kind = Kind::Unknown;
    argument.graph = kind;
    return false;
  });
}

void read_named_argument(Loading& loading, JsonText& json, NodeText& text) {
  Argument& argument = text.arguments.emplace_back();
  for (JsonObject member(json); member.next();) {
    if (member.key() == "name")
      argument.name = json.string();
    else if (member.key() == "arg")
      read_argument(loading, json, text, argument);
    else
      json.skip();
  }
}

}  // namespace

void NodeText::clear() {
  target = name = stack = {};
  arguments.clear();
  tensors.clear();
  outputs.clear();
}

void read_tensor_names(JsonText& json, std::vector<std::string_view>& names) {
  read_union(json, [&](std::string_view kind) {
    if (kind == "as_none") {
      json.skip();
      names.emplace_back();
      return true;
    }
    return read_tensors(json, kind, [&](std::string_view name) { names.push_back(name); });
  });
}

void read_node(Loading& loading, JsonText& json, NodeText& text) {
  text.clear();
  for (JsonObject member(json); member.next();) {
    const std::string_view key = member.key();
    if (key == "target") {
      text.target = json.string();
    } else if (key == "inputs") {
      for (JsonArray item(json); item.next();) read_named_argument(loading, json, text);
    } else if (key == "outputs") {
      for (JsonArray item(json); item.next();) read_tensor_names(json, text.outputs);
    } else if (key == "metadata") {
      for (JsonObject entry(json); entry.next();) {
        if (entry.key() == "nn_module_stack")
          text.stack = json.string();
        else
          json.skip();
      }
    } else if (key == "name" && json.peek() == '"') {
      text.name = json.string();
    } else {
      json.skip();
    }
  }
  if (text.name.empty() && !text.outputs.empty()) text.name = text.outputs[0];
}

Operator operator_of_node(std::string_view target) {
  constexpr std::string_view kOperators = "torch.ops.";
  if (target.starts_with(kOperators)) return torch::operator_of(target.substr(kOperators.size()));
  const std::size_t dot = target.rfind('.');
  if (dot == std::string_view::npos) return {{}, target};
  return {target.substr(0, dot), target.substr(dot + 1)};
}

}  // namespace strata::pt2
