// Counts the instructions of whole processes (valgrind's callgrind), which do not depend on what
// else the machine does: the figures of docs/speed.md that are instructions.
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "../tests/run_shell.h"
#include "large_models.h"
#include "or_exit.h"
#include "strata/base/scratch_folder.h"

namespace {

void show(const std::string& what, const std::string& model, const std::string& options = "") {
  if (!std::filesystem::exists(model))
    return fmt::print("{:<62} not exported; make models does that\n", what);
  const auto count =
      strata::instructions_of(std::string(STRATA_BINARY) + " stat " + model + " " + options);
  if (count)
    fmt::print("{:<62} {:>8.1f} M\n", what, static_cast<double>(*count) / 1e6);
  else
    fmt::print("{:<62} valgrind did not count it\n", what);
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

int main() {
  const std::string source = STRATA_SOURCE_DIR;
  const auto folder = bench::or_exit(strata::ScratchFolder::create());
  const std::string decoder = folder.path() + "/decoder.onnx", inputs = folder.path() + "/in.onnx";
  std::size_t nodes = 0;
  save(decoder, bench::decoder(435, nodes));
  save(inputs, bench::open_inputs(10'000));
  fmt::print("strata stat, instructions of the whole process\n");
  show("mobilenet_v2", source + "/tests/models/mobilenet_v2.onnx");
  show("torchvision's export of swin_t", source + "/build/models/swin_t.onnx");
  show("torchvision's export of fasterrcnn_resnet50_fpn",
       source + "/build/models/fasterrcnn_resnet50_fpn.onnx");
  show(fmt::format("decoder of {} nodes, sizes given", nodes), decoder, "--dim B=1 --dim S=128");
  show("  its totals alone, sizes open", decoder, "--report none");
  show("10000 inputs, each with an open size of its own", inputs);
  return 0;
}
