// For tests of data sets: a folder that they fill with files of samples.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/libzip.h"
#include "graph/text.h"
#include "strata/data/dataset.h"
#include "strata/infer/infer.h"

namespace strata::test {

inline const std::filesystem::path kImages = STRATA_SOURCE_DIR "/tests/data/images/";

// A .npy file as numpy.save writes it, with elements that count up.
inline std::string npy(const std::vector<std::int64_t>& dims, float first,
                       const std::string& descr = "<f4") {
  std::string shape;
  std::size_t count = 1;
  for (const std::int64_t size : dims) {
    shape += std::to_string(size) + ",";
    count *= static_cast<std::size_t>(size);
  }
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + ")}";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  for (std::size_t i = 0; i < count; ++i, ++first)
    bytes.append(reinterpret_cast<const char*>(&first), sizeof first);
  return bytes;
}

// A TensorProto of floats: dims, type, name, raw data.
inline std::string pb(const std::vector<char>& dims, float value, const std::string& name) {
  std::string bytes;
  std::size_t count = 1;
  for (const char size : dims) {
    bytes += {'\x08', size};
    count *= static_cast<std::size_t>(size);
  }
  bytes += {'\x10', '\x01', '\x42', static_cast<char>(name.size())};
  bytes += name;
  bytes += {'\x4a', static_cast<char>(4 * count)};
  for (std::size_t i = 0; i < count; ++i)
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

inline Model model_of(const char* text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  return std::move(*model);
}

inline Model one_input(const std::string& type) {
  return model_of(("input x " + type + "\ny = Relu(x)\noutput y\n").c_str());
}
inline Model two_inputs() {
  return model_of("input a f32[1,2]\ninput b f32[1,2]\ny = Add(a, b)\noutput y\n");
}

class DatasetFolder : public testing::Test {
 protected:
  DatasetFolder()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("strata_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~DatasetFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void write_zip(const std::string& name, bool packed,
                 const std::vector<std::pair<std::string, std::string>>& files) const {
    ASSERT_TRUE(libzip.open());
    zip_t* archive = zip_open((folder_ / name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    ASSERT_NE(archive, nullptr);
    for (const auto& [file, bytes] : files) {
      const zip_int64_t index = zip_file_add(
          archive, file.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
      zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                               packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    }
    ASSERT_EQ(zip_close(archive), 0);
  }
  void copy_image(const std::string& image, const std::string& as) const {
    std::filesystem::create_directories((folder_ / as).parent_path());
    std::filesystem::copy_file(kImages / image, folder_ / as);
  }

  Dataset open(const Model& model, const DatasetOptions& options = {}) const {
    auto dataset = Dataset::open(folder_.string(), model, options);
    if (!dataset) throw std::runtime_error(dataset.error().message);
    return std::move(*dataset);
  }
  std::string error(const Model& model, const DatasetOptions& options = {}) const {
    const auto dataset = Dataset::open(folder_.string(), model, options);
    return dataset ? "" : dataset.error().message;
  }

  std::filesystem::path folder_;
};

// The first element of each sample's inputs: `0 6 12`, `0,5 2,7`.
inline std::string firsts(const Dataset& dataset) {
  std::string out;
  for (std::int64_t i = 0; i < dataset.count(); ++i) {
    const auto sample = dataset.sample(i);
    if (!sample) return sample.error().message;
    if (i > 0) out += ' ';
    for (const HostTensor& tensor : *sample) {
      float first = 0;
      std::memcpy(&first, tensor.data.data(), sizeof first);
      out += (&tensor == &sample->front() ? "" : ",") + std::to_string(static_cast<int>(first));
    }
  }
  return out;
}

inline std::vector<std::int64_t> dims(const Dataset& dataset, std::int64_t i = 0) {
  const auto sample = dataset.sample(i);
  EXPECT_TRUE(sample) << sample.error().message;
  return sample->at(0).dims;
}

}  // namespace strata::test
