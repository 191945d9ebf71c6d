#include "read/weights/pickle_globals.h"

#include <iterator>

namespace strata::weights {

namespace {

using enum GlobalKind;

constexpr Global kGlobals[] = {
    {"collections", "OrderedDict", OrderedDict},
    {"torch._utils", "_rebuild_tensor", RebuildTensor},
    {"torch._utils", "_rebuild_tensor_v2", RebuildTensor},
    {"torch._utils", "_rebuild_tensor_v3", RebuildTypedTensor},
    {"torch._utils", "_rebuild_parameter", RebuildParameter},
    {"torch._utils", "_rebuild_parameter_with_state", RebuildParameter},
    {"torch._tensor", "_rebuild_from_type_v2", RebuildFromType},
    {"torch", "Size", Size},
    {"torch", "device", Device},
    {"torch", "Tensor", TensorClass},
    {"torch.nn.parameter", "Parameter", TensorClass},
    {"torch", "DoubleStorage", StorageType, DType::F64},
    {"torch", "FloatStorage", StorageType, DType::F32},
    {"torch", "HalfStorage", StorageType, DType::F16},
    {"torch", "BFloat16Storage", StorageType, DType::BF16},
    {"torch", "LongStorage", StorageType, DType::I64},
    {"torch", "IntStorage", StorageType, DType::I32},
    {"torch", "ShortStorage", StorageType, DType::I16},
    {"torch", "CharStorage", StorageType, DType::I8},
    {"torch", "ByteStorage", StorageType, DType::U8},
    {"torch", "BoolStorage", StorageType, DType::Bool},
    {"torch", "ComplexFloatStorage", StorageType, DType::C64},
    {"torch", "ComplexDoubleStorage", StorageType, DType::C128},
    {"torch.storage", "UntypedStorage", StorageType},
    {"torch", "float64", DTypeName, DType::F64},
    {"torch", "float32", DTypeName, DType::F32},
    {"torch", "float16", DTypeName, DType::F16},
    {"torch", "bfloat16", DTypeName, DType::BF16},
    {"torch", "int64", DTypeName, DType::I64},
    {"torch", "int32", DTypeName, DType::I32},
    {"torch", "int16", DTypeName, DType::I16},
    {"torch", "int8", DTypeName, DType::I8},
    {"torch", "uint64", DTypeName, DType::U64},
    {"torch", "uint32", DTypeName, DType::U32},
    {"torch", "uint16", DTypeName, DType::U16},
    {"torch", "uint8", DTypeName, DType::U8},
    {"torch", "bool", DTypeName, DType::Bool},
    {"torch", "complex64", DTypeName, DType::C64},
    {"torch", "complex128", DTypeName, DType::C128},
    {"torch", "float8_e4m3fn", DTypeName, DType::F8E4M3FN},
    {"torch", "float8_e4m3fnuz", DTypeName, DType::F8E4M3FNUZ},
    {"torch", "float8_e5m2", DTypeName, DType::F8E5M2},
    {"torch", "float8_e5m2fnuz", DTypeName, DType::F8E5M2FNUZ},
    {"torch", "float8_e8m0fnu", DTypeName, DType::F8E8M0},
};

}  // namespace

int find_global(std::string_view module, std::string_view name) {
  for (std::size_t i = 0; i < std::size(kGlobals); ++i)
    if (kGlobals[i].module == module && kGlobals[i].name == name) return static_cast<int>(i);
  return -1;
}

const Global& global_at(std::int64_t row) { return kGlobals[static_cast<std::size_t>(row)]; }

}  // namespace strata::weights
