#include "read/weights/pickle_globals.h"

#include <iterator>

namespace strata::weights {

namespace {

using Kind = GlobalKind;

constexpr Global kGlobals[] = {
    {"collections", "OrderedDict", Kind::OrderedDict},
    {"torch._utils", "_rebuild_tensor", Kind::RebuildTensor},
    {"torch._utils", "_rebuild_tensor_v2", Kind::RebuildTensor},
    {"torch._utils", "_rebuild_tensor_v3", Kind::RebuildTypedTensor},
    {"torch._utils", "_rebuild_parameter", Kind::RebuildParameter},
    {"torch._utils", "_rebuild_parameter_with_state", Kind::RebuildParameter},
    {"torch._tensor", "_rebuild_from_type_v2", Kind::RebuildFromType},
    {"torch", "Size", Kind::Size},
    {"torch", "device", Kind::Device},
    {"torch", "Tensor", Kind::TensorClass},
    {"torch.nn.parameter", "Parameter", Kind::TensorClass},
    {"torch", "DoubleStorage", Kind::StorageType, DType::F64},
    {"torch", "FloatStorage", Kind::StorageType, DType::F32},
    {"torch", "HalfStorage", Kind::StorageType, DType::F16},
    {"torch", "BFloat16Storage", Kind::StorageType, DType::BF16},
    {"torch", "LongStorage", Kind::StorageType, DType::I64},
    {"torch", "IntStorage", Kind::StorageType, DType::I32},
    {"torch", "ShortStorage", Kind::StorageType, DType::I16},
    {"torch", "CharStorage", Kind::StorageType, DType::I8},
    {"torch", "ByteStorage", Kind::StorageType, DType::U8},
    {"torch", "BoolStorage", Kind::StorageType, DType::Bool},
    {"torch", "ComplexFloatStorage", Kind::StorageType, DType::C64},
    {"torch", "ComplexDoubleStorage", Kind::StorageType, DType::C128},
    {"torch.storage", "UntypedStorage", Kind::StorageType},
    {"torch", "float64", Kind::DTypeName, DType::F64},
    {"torch", "float32", Kind::DTypeName, DType::F32},
    {"torch", "float16", Kind::DTypeName, DType::F16},
    {"torch", "bfloat16", Kind::DTypeName, DType::BF16},
    {"torch", "int64", Kind::DTypeName, DType::I64},
    {"torch", "int32", Kind::DTypeName, DType::I32},
    {"torch", "int16", Kind::DTypeName, DType::I16},
    {"torch", "int8", Kind::DTypeName, DType::I8},
    {"torch", "uint64", Kind::DTypeName, DType::U64},
    {"torch", "uint32", Kind::DTypeName, DType::U32},
    {"torch", "uint16", Kind::DTypeName, DType::U16},
    {"torch", "uint8", Kind::DTypeName, DType::U8},
    {"torch", "bool", Kind::DTypeName, DType::Bool},
    {"torch", "complex64", Kind::DTypeName, DType::C64},
    {"torch", "complex128", Kind::DTypeName, DType::C128},
    {"torch", "float8_e4m3fn", Kind::DTypeName, DType::F8E4M3FN},
    {"torch", "float8_e4m3fnuz", Kind::DTypeName, DType::F8E4M3FNUZ},
    {"torch", "float8_e5m2", Kind::DTypeName, DType::F8E5M2},
    {"torch", "float8_e5m2fnuz", Kind::DTypeName, DType::F8E5M2FNUZ},
    {"torch", "float8_e8m0fnu", Kind::DTypeName, DType::F8E8M0},
};

}  // namespace

int find_global(std::string_view module, std::string_view name) {
  for (std::size_t i = 0; i < std::size(kGlobals); ++i)
    if (kGlobals[i].module == module && kGlobals[i].name == name) return static_cast<int>(i);
  return -1;
}

const Global& global_at(std::int64_t row) { return kGlobals[static_cast<std::size_t>(row)]; }

}  // namespace strata::weights
