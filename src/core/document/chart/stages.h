// Stages and blocks of a network, from the paths of its layers; as the page has them.
#pragma once

#include <string>
#include <vector>

#include "document/chart/scene.h"

namespace strata {

struct PathRun {  // neighbours with the same first words
  std::size_t from, to;
  std::string name;
};

// The level at which the network has a few parts of several layers.
std::vector<PathRun> stages_of(const std::vector<std::string>& paths);
// The last word of a path; a number alone says little, so it has the word before it: `layer1.0`.
std::string last_words(const std::string& path);
// Bands with their names at the top, behind panels in which a layer takes `step`.
void draw_stages(PlotScene& scene, const std::vector<PathRun>& stages, double step, double top,
                 double bottom);

}  // namespace strata
