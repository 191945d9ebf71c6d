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

// How the pixels of an image, 0 to 255, become elements: resize, crop, then (pixel · scale − mean)
// / std. The preset provides what is not set here.
//
//   imagenet   short side 256/224 of the input's, centre crop, ImageNet's mean and std
//   inception  the same, −1 to 1
//   unit       resized to the input's size, 0 to 1
//   raw        resized to the input's size, 0 to 255
//   sam        long side to the input's, zeros right and below, ImageNet's mean and std
//
// Resizing is bilinear with antialiasing, pixel for pixel as Pillow does it. The EXIF orientation
// is ignored, and so are gamma and colour profiles; alpha is dropped, 16-bit samples keep their
// upper 8 bits, and CMYK becomes RGB.
struct ImageOptions {
  std::string preset = "imagenet";
  std::optional<std::string> resize = {};   // `256`: short side; `320x240`: width, height; `none`
  std::optional<std::string> crop = {};     // centre crop: `224`, `320x240`, `none`; else the
                                            // input's size
  std::vector<double> mean = {}, std = {};  // for red, green and blue, or one for all
  std::optional<double> scale = {};
  std::string layout = {};  // `nchw`, `nhwc`; empty: taken from where the input has 1 or 3 channels
  bool bgr = false;
};

struct DatasetOptions {
  std::int64_t samples = 0;  // 0: all
  // Skips this many samples. With `spread`, every sample is taken this many further on: two sets
  // whose offsets are smaller than the step have no sample in common.
  std::int64_t offset = 0;
  bool spread = false;  // spread evenly over all instead of taking the first
  bool random = false;  // made up: random_inputs() with seed, seed + 1, …
  std::uint64_t seed = 0;
  ImageOptions images = {};
  std::int64_t most_pixels = 100'000'000;  // limit per image; decoding takes 3 bytes per pixel
};

// `name,label` for some files, or one label per item in order.
struct Labels {
  std::string path;
  std::vector<std::string> names;  // empty: labels are in order
  std::vector<std::int64_t> labels;
};
// One integer per line, or `name,label` (a header line is skipped).
Result<Labels> read_labels(const std::string& path);

// `path` may be:
// - a folder of images (JPEG, PNG), .npy, .npz (arrays named like the inputs) or .pb files, which
// is
//   searched with its subfolders in the order of names; or one such file;
// - a folder with test_data_set_N/input_M.pb, as ONNX has them;
// - a folder with one subfolder per input; the first file of one goes with the first file of the
//   others. A `/` in the name of an input is written `_` there.
// An array has the shape of the input, or that shape without the first axis (an item), or more
// along the first axis, and is then sliced. A sample has as many items as the input's first axis;
// an open axis counts as 1. An input of 3×H×W is one item.
//
// Hidden files and other extensions are skipped with a note. A file that is broken or does not fit
// is an error: arrays are checked in open(), images when they are read.
class Dataset {
 public:
  // The model must not be moved while the data set is in use.
  static Result<Dataset> open(const std::string& path, const Model& inferred,
                              const DatasetOptions& options);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;
  ~Dataset();

  std::int64_t count() const;  // samples
  std::int64_t batch() const;  // items in a sample
  bool random() const;
  // Elements for all inputs, in the model's order. May be called from any thread.
  Result<std::vector<HostTensor>> sample(std::int64_t i) const;
  // Where sample i comes from: `cats/001.jpg`, `all.npy[16:24]`, `random 3`.
  std::string name(std::int64_t i) const;
  // batch() labels per sample, one sample after the other. Names match a path below the folder or
  // its last part, with or without extension.
  Result<std::vector<std::int64_t>> labels(const Labels& given) const;

  // `100 of 5000 images in photos, short side 256, …`; random data is said to be random.
  std::string describe() const;
  // Facts for programs: kind, path, total, count, offset, …
  std::vector<std::pair<std::string, std::string>> facts() const;
  const std::vector<std::string>& notes() const;  // what was skipped, one sentence each

 private:
  struct State;
  explicit Dataset(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
