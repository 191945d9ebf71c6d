// Samples to run a model on, from a folder or made up, read one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"

namespace strata {

// From the pixels of an image, 0 to 255, to elements: resize, crop, then
// (pixel · scale − mean) / std. What is not set here is the preset's.
//
//   imagenet   short side 256/224 of the input's, centre crop, ImageNet's mean and std
//   inception  the same, −1 to 1
//   unit       resized to the input's size, 0 to 1
//   raw        resized to the input's size, 0 to 255
//   sam        long side to the input's, zeros right and below, ImageNet's mean and std
//
// Resizing is bilinear with antialiasing, pixel for pixel as Pillow does it. What EXIF
// says of the orientation is ignored, and so are gamma and colour profiles; alpha is
// dropped, 16 bits keep their upper 8, CMYK becomes RGB.
struct ImageOptions {
  std::string preset = "imagenet";
  std::optional<std::string> resize = {};   // `256`: short side; `320x240`: width, height; `none`
  std::optional<std::string> crop = {};     // centre: `224`, `320x240`, `none`; the input's size
  std::vector<double> mean = {}, std = {};  // of red, green, blue, or one for all
  std::optional<double> scale = {};
  std::string layout = {};  // `nchw`, `nhwc`; empty: where the input has 1 or 3 channels
  bool bgr = false;
};

struct DatasetOptions {
  std::int64_t samples = 0;  // 0: all
  // Skips this many. With `spread` every sample is this many further on: two sets with
  // offsets smaller than the step have no sample in common.
  std::int64_t offset = 0;
  bool spread = false;  // evenly over all, not the first
  bool random = false;  // made up: random_inputs() with seed, seed + 1, …
  std::uint64_t seed = 0;
  ImageOptions images = {};
  std::int64_t most_pixels = 100'000'000;  // of an image, which takes 3 bytes each to decode
};

// `name,label` for some files, or one label for each item in order.
struct Labels {
  std::string path;
  std::vector<std::string> names;  // empty: in order
  std::vector<std::int64_t> labels;
};
// One integer a line, or `name,label` (a first line of titles is skipped).
Result<Labels> read_labels(const std::string& path);

// What `path` may be:
// - a folder, searched with its subfolders in the order of names, of images (JPEG, PNG),
//   or .npy, .npz (arrays called as the inputs) or .pb files; or one such file;
// - a folder with test_data_set_N/input_M.pb, as ONNX has them;
// - a folder with a subfolder for each input; the first of one goes with the first of the
//   others. A `/` in the name of an input is `_` there.
// Arrays have the shape of the input, or that without the first axis (an item), or more
// along the first axis: slices. A sample has as many items as the input's first axis; an
// open one counts as 1. An input of 3×H×W is one item.
//
// Hidden files and other extensions are passed over with a note; a file that is broken or
// does not fit is an error: arrays are checked in open(), images when they are read.
class Dataset {
 public:
  // The model must stay where it is as long as the data set is used.
  static Result<Dataset> open(const std::string& path, const Model& inferred,
                              const DatasetOptions& options);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;
  ~Dataset();

  std::int64_t count() const;  // samples
  std::int64_t batch() const;  // items in a sample
  bool random() const;
  // Elements for all inputs, in the model's order. From any thread.
  Result<std::vector<HostTensor>> sample(std::int64_t i) const;
  // Where sample i comes from: `cats/001.jpg`, `all.npy[16:24]`, `random 3`.
  std::string name(std::int64_t i) const;
  // batch() labels for each sample, one after the other. Names match a path below the
  // folder or its last part, with or without extension.
  Result<std::vector<std::int64_t>> labels(const Labels& given) const;

  // `100 of 5000 images in photos, short side 256, …`; what is random says so.
  std::string describe() const;
  // The same for machines: kind, path, total, count, offset, …
  std::vector<std::pair<std::string, std::string>> facts() const;
  const std::vector<std::string>& notes() const;  // what was passed over, a sentence each

 private:
  struct State;
  explicit Dataset(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
