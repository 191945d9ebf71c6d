#include "read/onnx/tensor.h"

#include <cstring>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;
using Store = TensorData::Store;

// A model with one initializer `w`.
Result<Model> model_with(const std::string& initializer) {
  static std::vector<std::string> kept;  // the model refers to it
  kept.reserve(1000);
  kept.push_back(model(GraphParts{.initializers = {initializer}}));
  return read_onnx(kept.back(), "m.onnx");
}

const TensorData& stored(const Result<Model>& model) { return model->stored.front(); }

std::string complaint(const std::string& initializer) {
  const auto model = model_with(initializer);
  return model ? "" : model.error().message;
}

std::vector<double> elements_of(const Result<Model>& model) {
  std::vector<double> numbers;
  if (!model) return numbers;
  if (const auto value = decode(stored(model)))
    for (const Scalar& item : value->items) numbers.push_back(item.number().value_or(-999));
  return numbers;
}

template <class Add>
std::vector<double> typed(int dtype, std::int64_t count, Add&& add) {
  return elements_of(model_with(tensor("w", dtype, {count}, add)));
}

using Numbers = std::vector<double>;
enum { F32 = 1, U8, I8, U16, I16, I32, I64, String, Bool, F16, F64, U32, U64, C64, C128, BF16 };

TEST(Tensor, RawBytesAreNotCopied) {
  const std::string bytes = model(GraphParts{.initializers = {raw_tensor("w", U8, {2}, "ab")}});
  const auto read = read_onnx(bytes, "m");
  ASSERT_TRUE(read);
  const TensorData& data = stored(read);
  EXPECT_EQ(data.store, Store::Raw);
  EXPECT_EQ(data.bytes, "ab");
  EXPECT_GE(data.bytes.data(), bytes.data());
  EXPECT_LE(data.bytes.data(), bytes.data() + bytes.size());
  EXPECT_EQ(data.name, "w");
}

TEST(Tensor, HasTypeAndShapeInTheGraph) {
  const auto read = model_with(tensor("w", F16, {4, 0, 7}));
  ASSERT_TRUE(read);
  const Tensor& tensor = read->graph().tensors[0];
  EXPECT_EQ(tensor.role, Role::Initializer);
  EXPECT_EQ(tensor.type->dtype, DType::F16);
  EXPECT_TRUE(tensor.type->ranked);
  EXPECT_EQ(text(tensor.type->dims), "4×0×7");
  EXPECT_EQ(tensor.data, &stored(read));
}

TEST(Tensor, WithoutElementsIsAbsent) {
  EXPECT_EQ(stored(model_with(tensor("w", F32, {3}))).store, Store::Absent);
  EXPECT_EQ(stored(model_with(tensor("w", F32, {3, 0}))).store, Store::Raw);
  EXPECT_EQ(stored(model_with(tensor("w", F32, {}))).store, Store::Absent);
}

TEST(Tensor, TypedElementsBecomeBytes) {
  const std::int32_t few[] = {1, -2, 300};
  const auto int32s = [&](auto& w) { w.add_packed_int32(5, few, few + 3); };
  EXPECT_EQ(typed(I32, 3, int32s), (Numbers{1, -2, 300}));
  EXPECT_EQ(typed(I16, 3, int32s), (Numbers{1, -2, 300}));
  EXPECT_EQ(typed(U16, 3, int32s), (Numbers{1, 65534, 300}));
  EXPECT_EQ(typed(Bool, 3, int32s), (Numbers{1, 1, 1}));
  EXPECT_EQ(typed(I8, 3, int32s), (Numbers{1, -2, 44}));
  const std::int64_t longs[] = {-7, std::int64_t{1} << 40};
  EXPECT_EQ(typed(I64, 2, [&](auto& w) { w.add_packed_int64(7, longs, longs + 2); }),
            (Numbers{-7, 1099511627776.0}));
  const std::uint64_t unsigneds[] = {4294967295u, 5};
  EXPECT_EQ(typed(U32, 2, [&](auto& w) { w.add_packed_uint64(11, unsigneds, unsigneds + 2); }),
            (Numbers{4294967295.0, 5}));
  const std::int32_t half = 0x3c00;
  EXPECT_EQ(typed(F16, 1, [&](auto& w) { w.add_int32(5, half); }), Numbers{1});
  const std::int32_t int4s[] = {0x21, 0x03};  // two elements per number
  EXPECT_EQ(typed(22, 3, [&](auto& w) { w.add_packed_int32(5, int4s, int4s + 2); }),
            (Numbers{1, 2, 3}));
  const std::int32_t int2s[] = {0xe4};  // four elements per number
  EXPECT_EQ(typed(25, 4, [&](auto& w) { w.add_packed_int32(5, int2s, int2s + 1); }),
            (Numbers{0, 1, 2, 3}));
}

TEST(Tensor, TypedElementsMayComeOneByOneOrInPieces) {
  const float one[] = {0.5f, 1.5f};
  EXPECT_EQ(typed(F32, 2, [&](auto& w) { w.add_packed_float(4, one, one + 2); }),
            (Numbers{0.5, 1.5}));
  EXPECT_EQ(typed(F32, 2, [](auto& w) { w.add_float(4, 0.5f), w.add_float(4, 1.5f); }),
            (Numbers{0.5, 1.5}));
  EXPECT_EQ(typed(F32, 3, [&](auto& w) { w.add_packed_float(4, one, one + 2), w.add_float(4, 3); }),
            (Numbers{0.5, 1.5, 3}));
  EXPECT_EQ(typed(F64, 2, [](auto& w) { w.add_double(10, 0.5), w.add_double(10, 2); }),
            (Numbers{0.5, 2}));
  EXPECT_EQ(typed(I64, 2, [](auto& w) { w.add_int64(7, 3), w.add_int64(7, 4); }), (Numbers{3, 4}));
}

TEST(Tensor, ManyTypedElementsStayWhereTheyAre) {
  const std::vector<std::int64_t> many(static_cast<std::size_t>(kMaxValueElements) + 1, 300);
  const std::vector<float> floats(many.size(), 1);
  const auto longs = model_with(tensor("w", I64, {kMaxValueElements + 1}, [&](auto& w) {
    w.add_packed_int64(7, many.begin(), many.end());
  }));
  EXPECT_EQ(stored(longs).store, Store::Encoded);
  EXPECT_TRUE(stored(longs).bytes.empty());
  const auto unpacked = stored(longs).encoded.encoding->elements(stored(longs));
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  ASSERT_EQ(unpacked->size(), 8 * many.size());
  EXPECT_EQ(std::memcmp(unpacked->data(), many.data(), unpacked->size()), 0);
  // Floats in one piece are already raw bytes.
  const auto reals = model_with(tensor("w", F32, {kMaxValueElements + 1}, [&](auto& w) {
    w.add_packed_float(4, floats.begin(), floats.end());
  }));
  EXPECT_EQ(stored(reals).store, Store::Raw);
  EXPECT_EQ(stored(reals).bytes.size(), 4 * floats.size());
}

TEST(Tensor, TextsAreCounted) {
  const auto two = [](auto& w) { w.add_string(6, "a"), w.add_string(6, ""); };
  EXPECT_EQ(stored(model_with(tensor("w", String, {2}, two))).store, Store::Encoded);
  EXPECT_EQ(complaint(tensor("w", String, {3}, two)),
            "m.onnx: the stored tensor \"w\" needs 3 texts, but has 2");
}

TEST(Tensor, EveryTypeHasItsSize) {
  const std::pair<int, std::size_t> bytes_of_6[] = {
      {1, 24},  {2, 6},   {3, 6},   {4, 12},  {5, 12},  {6, 24},  {7, 48}, {9, 6},  {10, 12},
      {11, 48}, {12, 24}, {13, 48}, {14, 48}, {15, 96}, {16, 12}, {17, 6}, {18, 6}, {19, 6},
      {20, 6},  {21, 3},  {22, 3},  {23, 3},  {24, 6},  {25, 2},  {26, 2}};
  for (const auto& [dtype, bytes] : bytes_of_6) {
    EXPECT_EQ(complaint(raw_tensor("w", dtype, {6}, std::string(bytes, 'x'))), "") << dtype;
    EXPECT_NE(complaint(raw_tensor("w", dtype, {6}, std::string(bytes + 1, 'x'))), "") << dtype;
  }
}

TEST(Tensor, AnUnknownTypeIsNoted) {
  const auto read = model_with(raw_tensor("w", 77, {6}, "abc"));
  ASSERT_TRUE(read);
  EXPECT_EQ(stored(read).dtype, DType::Undefined);
  ASSERT_EQ(read->notes.size(), 1u);
  EXPECT_EQ(read->notes[0], "element type 77 is not known to this version of strata");
}

TEST(Tensor, CountsMustFit) {
  EXPECT_EQ(complaint(raw_tensor("w", F32, {2, 3}, "12345678")),
            "m.onnx: the stored tensor \"w\" needs 24 bytes for its 6 elements of f32, but has 8");
  EXPECT_EQ(complaint(raw_tensor("w", U8, {}, "12")),
            "m.onnx: the stored tensor \"w\" needs 1 byte for its 1 element of u8, but has 2");
  const float three[] = {1, 2, 3};
  EXPECT_EQ(
      complaint(tensor("w", F32, {2}, [&](auto& w) { w.add_packed_float(4, three, three + 3); })),
      "m.onnx: the stored tensor \"w\" needs 2 numbers in float_data, but has 3");
  EXPECT_EQ(complaint(tensor("w", I64, {2}, [](auto& w) { w.add_int64(7, 1); })),
            "m.onnx: the stored tensor \"w\" needs 2 numbers in int64_data, but has 1");
  const std::int64_t longs[] = {300, 300, 300};
  EXPECT_EQ(
      complaint(tensor("w", I64, {5}, [&](auto& w) { w.add_packed_int64(7, longs, longs + 3); })),
      "m.onnx: the stored tensor \"w\" needs 5 numbers in int64_data, but has 3");
  const std::vector<std::int64_t> many(3000, 1);
  EXPECT_EQ(complaint(tensor("w", I64, {1 << 20},
                             [&](auto& w) { w.add_packed_int64(7, many.begin(), many.end()); })),
            "m.onnx: the stored tensor \"w\" needs 1048576 numbers in int64_data, but has 3000 "
            "bytes of them");
}

TEST(Tensor, ElementsHaveOnePlace) {
  EXPECT_EQ(complaint(tensor("w", F32, {1}, [](auto& w) { w.add_int64(7, 1); })),
            "m.onnx: the stored tensor \"w\" of f32 keeps elements in int64_data; they belong into "
            "float_data");
  EXPECT_EQ(
      complaint(tensor("w", F32, {1}, [](auto& w) { w.add_float(4, 1), w.add_bytes(9, "1234"); })),
      "m.onnx: the stored tensor \"w\" has its elements twice, as bytes and as numbers");
  EXPECT_EQ(complaint(raw_tensor("w", String, {1}, "a")),
            "m.onnx: the stored tensor \"w\" keeps texts as raw bytes");
}

TEST(Tensor, ShapesMustBePossible) {
  EXPECT_EQ(complaint(tensor("w", F32, {2, -3})),
            "m.onnx: the stored tensor \"w\" has an axis of size -3");
  EXPECT_EQ(complaint(tensor("w", F32, {std::int64_t{1} << 40, std::int64_t{1} << 40})),
            "m.onnx: the stored tensor \"w\" has a shape that overflows: "
            "1099511627776×1099511627776");
  EXPECT_EQ(
      complaint(tensor("w", F64, {std::int64_t{1} << 60})),
      "m.onnx: the stored tensor \"w\" has a shape that overflows when its bytes are counted");
  EXPECT_EQ(complaint(tensor("w", F32, Sizes(1001, 1))),
            "m.onnx: a stored tensor has more than 1000 axes");
  EXPECT_EQ(complaint(tensor("w", F32, Sizes(1000, 1))), "");
}

TEST(Tensor, SparseOnesHaveADenseShape) {
  const auto sparse = [](const std::string& values, const std::string& indices, Sizes dims) {
    std::string bytes;
    protozero::pbf_writer w(bytes);
    w.add_message(1, values);
    w.add_message(2, indices);
    w.add_packed_int64(3, dims.begin(), dims.end());
    return bytes;
  };
  const std::string values = raw_tensor("w", F32, {2}, "12345678");
  const std::string indices =
      tensor("", I64, {2}, [](auto& w) { w.add_int64(7, 0), w.add_int64(7, 5); });
  const auto read = [&](const std::string& message) {
    static std::vector<std::string> kept;
    kept.reserve(100);
    kept.push_back(model(GraphParts{.sparse_initializers = {message}}));
    return read_onnx(kept.back(), "m.onnx");
  };
  const auto good = read(sparse(values, indices, {3, 4}));
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(stored(good).store, Store::Sparse);
  EXPECT_EQ(stored(good).nonzeros, 2);
  EXPECT_EQ(stored(good).dims.size(), 2u);
  EXPECT_EQ(good->graph().tensors[0].name, "w");
  EXPECT_EQ(text(good->graph().tensors[0].type->dims), "3×4");
  EXPECT_EQ(read(sparse(values, indices, {1})).error().message,
            "m.onnx: the stored tensor \"w\" is sparse and has 2 values for 1 elements");
  EXPECT_EQ(
      read(sparse(values, tensor("", I64, {3}), {3, 4})).error().message,
      "m.onnx: the stored tensor \"w\" is sparse; it has not one index for each of its values");
}

}  // namespace
}  // namespace strata::onnx
