#include "strata/cost/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/example.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string energy_of(std::string_view model_name, std::string_view op, const Example& example) {
  auto network = example_model(*find_rule("", op, kNewestOpset), example);
  if (!network || !infer(*network)) return "bad example";
  const Costs costs = count(*network);
  const Layers layers = find_layers(*network, costs);
  const auto energy =
      count_energy(*find_energy_model(model_name), *find_convention("strata"), costs, layers);
  return energy ? energy->total.picojoules.text() : energy.error().message;
}

TEST(Energy, EveryTypeThatIsComputedInHasFigures) {
  for (int number = 1; number < kDTypeCount; ++number) {
    const auto type = static_cast<DType>(number);
    const auto energy = operation_energy(type);
    EXPECT_EQ(energy.has_value(), type != DType::String) << name_of(type);
    if (energy) {
      EXPECT_GT(*energy->add.number(), 0) << name_of(type);
      EXPECT_GT(*energy->mul.number(), 0) << name_of(type);
    }
  }
  EXPECT_EQ(operation_energy(DType::F32)->mul.text(), "4.5");
  EXPECT_EQ(operation_energy(DType::I8)->add.text(), "0.03");
}

TEST(Energy, Models) {
  EXPECT_THAT(energy_model_names(), ElementsAre("strata", "rasp"));
  const auto model = find_energy_model("strata");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_THAT(model->terms(), ElementsAre("products", "sums", "functions", "memory"));
  EXPECT_EQ(model->formula(0), "(macs + muls)·mul");
  EXPECT_FALSE(model->notes().empty());
  EXPECT_THAT(find_energy_model("rsap").error().message,
              HasSubstr("there is no energy model \"rsap\" (did you mean rasp?); give one of "
                        "strata, rasp"));
}

TEST(Energy, RaspWorksOnItsOwnCounts) {
  const auto model = *find_energy_model("rasp");
  EXPECT_EQ(model.convention_for("strata"), "rasp");
  EXPECT_EQ(model.convention_for("rasp-2020"), "rasp-2020");
  // rasp counts 3 FLOPs, 3 elements read, 3 written: 3·4.5 + 6·132.
  EXPECT_EQ(energy_of("rasp", "Relu", {"f32[3]", "", "f32[3]"}), "805.5");
}

TEST(Energy, TermsApart) {
  // 2·3·4 MACs at 4.5 + 0.9, and 8 + 12 + 6 words at 132.
  EXPECT_EQ(energy_of("strata", "MatMul", {"f32[2,4], f32[4,3]", "", "f32[2,3]"}), "3561.6");
  // In fp16 the product costs 24·(1.1 + 0.45) and half the words.
  EXPECT_EQ(energy_of("strata", "MatMul", {"f16[2,4], f16[4,3]", "", "f16[2,3]"}), "1753.2");
}

TEST(Energy, OpenSizesStayAFormula) {
  // One comparison at 0.9 and two words at 132 per element.
  EXPECT_EQ(energy_of("strata", "Relu", {"f32[N,10]", "", "f32[N,10]"}), "2649·N");
}

}  // namespace
}  // namespace strata
