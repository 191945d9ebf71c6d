// Field numbers of ONNX's messages, from onnx.proto (IR version 13). Fields that are not listed are
// skipped, so files of newer versions can be read, too.
#pragma once

namespace strata::onnx::proto {

namespace model {
enum : unsigned {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kDomain = 4,
  kModelVersion = 5,
  kDocString = 6,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadata = 14,
  kTrainingInfo = 20,
  kFunctions = 25,
  kConfiguration = 26,
};
}  // namespace model

namespace opset {
enum : unsigned { kDomain = 1, kVersion = 2 };
}  // namespace opset

namespace entry {
enum : unsigned { kKey = 1, kValue = 2 };
}  // namespace entry

namespace graph {
enum : unsigned {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kDocString = 10,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kSparseInitializer = 15,
};
}  // namespace graph

namespace node {
enum : unsigned {
  kInput = 1,
  kOutput = 2,
  kName = 3,
  kOpType = 4,
  kAttribute = 5,
  kDomain = 7,
  kOverload = 8,
  kMetadata = 9,
};
}  // namespace node

namespace attribute {
enum : unsigned {
  kName = 1,
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kTensor = 5,
  kGraph = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kTensors = 10,
  kGraphs = 11,
  kTypeProto = 14,
  kTypeProtos = 15,
  kType = 20,
  kRefAttrName = 21,
  kSparseTensor = 22,
  kSparseTensors = 23,
};
}  // namespace attribute

namespace tensor {
enum : unsigned {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};
}  // namespace tensor

namespace sparse_tensor {
enum : unsigned { kValues = 1, kIndices = 2, kDims = 3 };
}  // namespace sparse_tensor

namespace value_info {
enum : unsigned { kName = 1, kType = 2, kMetadata = 4 };
}  // namespace value_info

namespace type {
enum : unsigned {
  kTensor = 1,
  kSequence = 4,
  kMap = 5,
  kOpaque = 7,
  kSparseTensor = 8,
  kOptional = 9,
};
// For a tensor or sparse tensor; for a sequence or optional, field 1 is a type.
enum : unsigned { kElement = 1, kShape = 2 };
}  // namespace type

namespace shape {
enum : unsigned { kDim = 1, kDimValue = 1, kDimParam = 2 };
}  // namespace shape

namespace function {
enum : unsigned {
  kName = 1,
  kInput = 4,
  kOutput = 5,
  kNode = 7,
  kOpsetImport = 9,
  kDomain = 10,
  kAttributeDefault = 11,
  kOverload = 13,
};
}  // namespace function

}  // namespace strata::onnx::proto
