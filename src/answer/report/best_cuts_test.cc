#include "report/best_cuts.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

// 1,600 bytes go in, 160 are between the two layers. The edge takes 8 s and 80 s for them, the
// server 0.1 s and 1 s.
struct Narrow {
  Narrow()
      : model(*model_from_text(R"(
        input x f32[4,100]
        weight a f32[100,10]
        weight b f32[10,1000]
        narrow = MatMul(x, a) name="first"
        wide = MatMul(narrow, b) name="second"
        output wide)")) {
    inference = *infer(model);
    costs = count(model);
    layers = find_layers(model, costs);
  }
  Split split(std::optional<double> input_bytes = {}) const {
    SplitOptions options;
    options.link_bytes_per_second = 160;
    options.returns_results = false;
    options.input_bytes = input_bytes;
    const auto times = [&](double flops) {
      return *times_from_speed(model, costs, layers, {flops, std::nullopt});
    };
    return *find_split(model, costs, layers, times(1000), times(80'000), options);
  }
  PayloadSource source() const { return {model, costs, layers, inference}; }

  Model model;
  Inference inference;
  Costs costs;
  Layers layers;
};

// Cut: 9 + 160/x s. All on the server: 1.1 + 1600/x s. They are equal at x = 1440/7.9 = 182.3 B/s,
// which is 1.458 kbps. Links are looked at from 1 kbps on, where the cut takes 10.28 s and the
// server 13.9 s: 1.35 times as long.
TEST(BestCuts, SaysOnWhichLinksASplitPays) {
  const Narrow narrow;
  const Split split = narrow.split();
  const NamedSplit named{split, "a sensor", "a rack", "As sure as a test"};
  EXPECT_EQ(best_cuts_answer(narrow.source(), named),
            "A split pays on links below 1.458 kbps. It pays most at 1 kbps: cut after first, ship "
            "160 B, 1.35 times as fast as either machine alone.\n"
            "Between a sensor and a rack. As sure as a test.\n");
  const Table table = best_cuts_table(narrow.source(), named, {});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(table.rows[0].cells[0].value), "after first");
  EXPECT_EQ(std::get<std::string>(table.rows[1].cells[0].value), "all on the server");
  EXPECT_NEAR(std::get<double>(table.rows[1].cells[3].value), 1440 / 7.9, 1e-9);
}

// The input's 400 elements take 400 bytes as uint8, and 40 as a JPEG of a tenth of that: then
// the server alone is always faster than the cut, which ships 160.
TEST(BestCuts, InputsMayBeSentAsTheyAre) {
  const Narrow narrow;
  const Split bytes = narrow.split(1);
  EXPECT_DOUBLE_EQ(bytes.all_server.up_bytes, 400);
  const Split jpeg = narrow.split(0.1);
  EXPECT_DOUBLE_EQ(jpeg.all_server.up_bytes, 40);
  EXPECT_THAT(best_cuts_answer(narrow.source(), {jpeg, "a", "b", "c"}),
              HasSubstr("No split pays on any link: all on the server is always fastest"));
}

}  // namespace
}  // namespace strata
