#include "base/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kLetters = "abc";

// All words that one edit makes of a word, of at most `most` letters.
std::vector<std::string> edits_of(const std::string& word, std::size_t most) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (word.size() < most)
      for (const char letter : kLetters) out.push_back(word.substr(0, i) + letter + word.substr(i));
    if (i == word.size()) continue;
    out.push_back(word.substr(0, i) + word.substr(i + 1));
    for (const char letter : kLetters) out.push_back(std::string(word).replace(i, 1, 1, letter));
    if (i + 1 == word.size()) continue;
    out.push_back(word);
    std::swap(out.back()[i], out.back()[i + 1]);
  }
  return out;
}

// Counts the edits to every word by trying all of them.
std::map<std::string, std::size_t> distances_from(const std::string& start, std::size_t most) {
  std::map<std::string, std::size_t> found{{start, 0}};
  std::vector<std::string> front{start};
  for (std::size_t steps = 1; !front.empty(); ++steps) {
    std::vector<std::string> next;
    for (const std::string& word : front)
      for (const std::string& edited : edits_of(word, most))
        if (found.emplace(edited, steps).second) next.push_back(edited);
    front = std::move(next);
  }
  return found;
}

TEST(EditDistance, IsTheLeastNumberOfEdits) {
  constexpr std::size_t kLongest = 4;
  // No way between two words of four letters has to go through longer ones.
  for (const std::string start : {"", "a", "ab", "ca", "abc", "aab", "abca", "acbb", "cbab"})
    for (const auto& [word, steps] : distances_from(start, kLongest))
      EXPECT_EQ(edit_distance(start, word), steps) << start << " to " << word;
}

TEST(EditDistance, OfKnownPairs) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("saturday", "sunday"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 2u);  // 3 if nothing is put between exchanged letters
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Nearest, TheNearestComesFirst) {
  EXPECT_THAT(nearest("stta", {"sweep", "stat", "zoo"}), ElementsAre("stat"));
  EXPECT_THAT(nearest("resnet5", {"resnet152", "vgg16", "resnet18", "resnet50"}),
              ElementsAre("resnet50", "resnet152", "resnet18"));
  EXPECT_THAT(nearest("MobileNetV2", {"mobilenet_v2", "mnasnet"}), ElementsAre("mobilenet_v2"));
}

// An engine that is there, and whose file is damaged, is refused by its own name.
TEST(Nearest, AWordIsNoSuggestionForItself) {
  EXPECT_THAT(nearest("fake", {"fake", "fakes"}), ElementsAre("fakes"));
  EXPECT_EQ(did_you_mean("fake", {"fake", "other"}), "");
}

TEST(Nearest, AtMostThreeAndNoneThatIsFar) {
  EXPECT_THAT(nearest("conv", {"conv1", "conv2", "conv3", "conv4"}),
              ElementsAre("conv1", "conv2", "conv3"));
  EXPECT_THAT(nearest("profile", {"stat", "bench", "ops"}), IsEmpty());
  EXPECT_THAT(nearest("--fast", {"--fuse", "--data"}), IsEmpty());  // dashes are not letters
  EXPECT_THAT(nearest("", {"stat"}), IsEmpty());
}

TEST(Nearest, APartOfANameIsNear) {
  EXPECT_THAT(nearest("efficientvit", {"efficientvit_sam_l0", "vit"}),
              ElementsAre("efficientvit_sam_l0"));
  EXPECT_THAT(nearest("vi", {"efficientvit_sam_l0"}), IsEmpty());
}

TEST(Nearest, AsPartOfASentence) {
  EXPECT_EQ(did_you_mean("stta", {"stat"}), " (did you mean stat?)");
  EXPECT_EQ(did_you_mean("conv", {"conv1", "conv2", "conv3"}),
            " (did you mean conv1, conv2 or conv3?)");
  EXPECT_EQ(did_you_mean("profile", {"stat"}), "");
}

}  // namespace
}  // namespace strata
