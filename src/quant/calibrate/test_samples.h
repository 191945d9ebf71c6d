// Data with known shapes, for the tests of this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace strata {

struct Distribution {
  std::string name;
  std::function<double(std::mt19937_64&)> draw;
};

inline std::vector<Distribution> distributions() {
  const auto normal = [](std::mt19937_64& random) {
    return std::normal_distribution<double>()(random);
  };
  const auto laplace = [](std::mt19937_64& random) {
    const double exponential = std::exponential_distribution<double>()(random);
    return (random() & 1) != 0 ? exponential : -exponential;
  };
  return {{"normal", normal},
          {"laplace", laplace},
          {"log-normal", [=](auto& random) { return std::exp(normal(random)); }},
          {"bimodal",
           [=](auto& random) {
             return (random() & 3) != 0 ? 4 + 0.5 * normal(random) : -1 + 0.25 * normal(random);
           }},
          {"rectified", [=](auto& random) { return std::max(normal(random), 0.0); }},
          {"rectified up to 6",
           [=](auto& random) { return std::min(std::max(4 * normal(random), 0.0), 6.0); }}};
}

inline std::vector<float> draw(const Distribution& distribution, std::size_t count) {
  std::mt19937_64 random(20240601);
  std::vector<float> samples(count);
  for (float& sample : samples) sample = static_cast<float>(distribution.draw(random));
  return samples;
}

}  // namespace strata
