#include "read/pt2/loading.h"

#include "read/pt2/size_formula.h"

namespace strata::pt2 {

namespace {

// PyTorch numbers element types in its files in a way of its own.
DType dtype_of(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::U8;
    case 2:
      return DType::I8;
    case 3:
      return DType::I16;
    case 4:
      return DType::I32;
    case 5:
      return DType::I64;
    case 6:
      return DType::F16;
    case 7:
      return DType::F32;
    case 8:
      return DType::F64;
    case 10:
      return DType::C64;
    case 11:
      return DType::C128;
    case 12:
      return DType::Bool;
    case 13:
      return DType::BF16;
    case 28:
      return DType::U16;
    case 29:
      return DType::F8E4M3FN;
    case 30:
      return DType::F8E5M2;
    case 31:
      return DType::F8E4M3FNUZ;
    case 32:
      return DType::F8E5M2FNUZ;
    case 33:
      return DType::F8E8M0;
    case 34:
      return DType::U32;
    case 35:
      return DType::U64;
    default:
      return DType::Undefined;  // such as complex numbers of halves
  }
}

// {"as_int": 3}, or {"as_expr": {"expr_str": "…", "hint": …}}
Expr read_size(Loading& loading, JsonText& json) {
  Expr size = Expr::unknown();
  read_union(json, [&](std::string_view kind) {
    if (kind == "as_int") {
      size = json.integer();
      return true;
    }
    if (kind != "as_expr") return false;
    for (JsonObject member(json); member.next();) {
      if (member.key() == "expr_str")
        size = loading.sizes.formula_of(json.string());
      else
        json.skip();
    }
    return true;
  });
  return size;
}

}  // namespace

Expr SizeTexts::formula_of(std::string_view text) {
  const auto known = numbers_.insert(text, static_cast<std::uint32_t>(formulas_.size()));
  if (known.is_new) formulas_.push_back(size_formula(text));
  return formulas_[known.value];
}

TypeInfo read_type(Loading& loading, JsonText& json) {
  TypeInfo type;
  for (JsonObject member(json); member.next();) {
    if (member.key() == "dtype") {
      type.dtype = dtype_of(json.integer());
    } else if (member.key() == "sizes") {
      type.ranked = true;
      for (JsonArray item(json); item.next();) type.dims.push_back(read_size(loading, json));
    } else {
      json.skip();
    }
  }
  return type;
}

}  // namespace strata::pt2
