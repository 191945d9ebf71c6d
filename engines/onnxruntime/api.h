// ONNX Runtime's C++ interface. The library is opened by library.cc and not linked, so
// that one plugin runs on many releases.
#pragma once

#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>

namespace strata::ort {

// The version of the interface that the plugin asks for: that of ONNX Runtime 1.22.
inline constexpr std::uint32_t kApiVersion = 22;

}  // namespace strata::ort
