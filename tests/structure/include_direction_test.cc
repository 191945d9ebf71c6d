// Floors and their rooms are in an order, and a file includes only from its own room and the rooms
// before it; so a floor never includes from one above. Public headers include only public ones,
// because the rest is not installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Floor {
  std::string_view name;
  std::vector<std::string_view> rooms;
};

// src/ from the lowest floor up, and the rooms of each in their order.
const std::array<Floor, 7> kFloors = {{
    {"core", {"base", "graph", "document", "ops", "infer", "cost"}},
    {"model", {"read", "write", "build", "zoo"}},
    {"run", {"engine", "data", "machine", "measure", "bench"}},
    {"quant", {"calibrate", "edit", "sensitivity", "quantize"}},
    {"answer", {"profile", "device", "predict", "llm", "report"}},
    {"judge", {"lint", "compare", "check"}},
    {"front", {"task", "manual", "options", "cli", "c"}},
}};

// Every room with its floor, in order.
const std::vector<std::pair<std::string_view, std::string_view>>& rooms() {
  static const auto all = [] {
    std::vector<std::pair<std::string_view, std::string_view>> list;
    for (const Floor& floor : kFloors)
      for (const std::string_view room : floor.rooms) list.emplace_back(room, floor.name);
    return list;
  }();
  return all;
}

struct Place {
  std::size_t room;  // index into rooms()
  bool is_public;
};

// The place of a header as it is included: "cost/liveness.h" or "strata/cost/cost.h".
std::optional<Place> place_of(std::string_view path) {
  if (path == "strata/c.h") path = "strata/c/c.h";  // C's callers have one header
  const bool is_public = path.starts_with("strata/");
  if (is_public) path.remove_prefix(std::string_view("strata/").size());
  const std::string_view folder = path.substr(0, path.find('/'));
  const auto room = std::find_if(rooms().begin(), rooms().end(),
                                 [&](const auto& each) { return each.first == folder; });
  if (room == rooms().end() || folder.size() == path.size()) return std::nullopt;
  return Place{static_cast<std::size_t>(room - rooms().begin()), is_public};
}

// A file below src/ as its room's files are included; empty if its floor has no such room.
std::string without_floor(const std::string& path) {
  const std::size_t slash = path.find('/');
  const std::string rest = slash == path.npos ? "" : path.substr(slash + 1);
  const std::optional<Place> place = place_of(rest);
  return place && rooms()[place->room].second == path.substr(0, slash) ? rest : "";
}

// "base/poly.h" for `#include "base/poly.h"`; nullopt for any other line.
std::optional<std::string> quoted_include(const std::string& line) {
  static constexpr std::string_view kStart = "#include \"";
  if (!line.starts_with(kStart)) return std::nullopt;
  return line.substr(kStart.size(), line.find('"', kStart.size()) - kStart.size());
}

// One sentence for each include in `text` that the file at `path`, below include/ or a floor of
// src/, may not have.
std::vector<std::string> wrong_includes(const std::string& path, const std::string& text) {
  const std::optional<Place> own = place_of(path);
  if (!own) return {path + " is in no room"};
  std::vector<std::string> wrong;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<std::string> header = quoted_include(line);
    if (!header) continue;
    const std::string sentence = path + " includes \"" + *header + "\": ";
    const std::optional<Place> other = place_of(*header);
    if (!other) {
      wrong.push_back(sentence + "the path names no room");
    } else if (path.ends_with("_test.cc") && rooms()[other->room].first == "read") {
      continue;  // tests of any room read models
    } else if (other->room > own->room) {
      wrong.push_back(sentence + "room " + std::string(rooms()[other->room].first) +
                      " comes after " + std::string(rooms()[own->room].first));
    } else if (own->is_public && !other->is_public) {
      wrong.push_back(sentence + "a public header needs a private one");
    }
  }
  return wrong;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(IncludeDirection, EveryFileIncludesOnlyItsOwnAndEarlierRooms) {
  std::vector<std::string> wrong;
  std::size_t files = 0;
  for (const char* top : {"include", "src"}) {
    const fs::path root = fs::path(STRATA_SOURCE_DIR) / top;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      ++files;
      const std::string below = entry.path().lexically_relative(root).generic_string();
      if (below == "strata/strata.h") continue;  // includes all: whole_header_test.cc
      const std::string path = below.starts_with("strata/") ? below : without_floor(below);
      if (path.empty()) wrong.push_back("src/" + below + " is in no room of its floor");
      if (path.empty()) continue;
      const std::vector<std::string> found = wrong_includes(path, read_text(entry.path()));
      wrong.insert(wrong.end(), found.begin(), found.end());
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
  EXPECT_GT(files, 0u);
}

TEST(IncludeDirection, EveryFloorSaysInAFewLinesWhatItDoes) {
  for (const Floor& floor : kFloors) {
    const std::string text =
        read_text(fs::path(STRATA_SOURCE_DIR) / "src" / floor.name / "README.md");
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 20) << floor.name;
    for (const std::string_view room : floor.rooms)
      EXPECT_NE(text.find("`" + std::string(room) + "`"), text.npos) << floor.name << ": " << room;
  }
}

TEST(IncludeDirection, FilesAreInRoomsOfTheirFloor) {
  EXPECT_EQ(without_floor("core/cost/cost.cc"), "cost/cost.cc");
  EXPECT_EQ(without_floor("model/cost/cost.cc"), "");
  EXPECT_EQ(without_floor("cost/cost.cc"), "");
}

TEST(IncludeDirection, EarlierAndOwnRoomsAreFine) {
  EXPECT_THAT(wrong_includes("ops/conv.cc",
                             "#include \"ops/conv.h\"\n#include \"strata/graph/graph.h\"\n"
                             "#include <vector>\n#include \"base/poly.h\"\n"),
              IsEmpty());
}

TEST(IncludeDirection, LaterRoomIsNamed) {
  EXPECT_THAT(
      wrong_includes("graph/graph.cc", "#include <a>\n#include \"strata/cost/cost.h\"\n"),
      ElementsAre("graph/graph.cc includes \"strata/cost/cost.h\": room cost comes after graph"));
}

TEST(IncludeDirection, PublicHeaderMayNotNeedAPrivateOne) {
  EXPECT_THAT(wrong_includes("strata/cost/cost.h", "#include \"base/poly.h\"\n"),
              ElementsAre("strata/cost/cost.h includes \"base/poly.h\": "
                          "a public header needs a private one"));
}

TEST(IncludeDirection, PathMustNameARoom) {
  EXPECT_THAT(wrong_includes("cost/cost.cc", "#include \"cost.h\"\n"),
              ElementsAre("cost/cost.cc includes \"cost.h\": the path names no room"));
  EXPECT_THAT(wrong_includes("extra/x.cc", ""), ElementsAre("extra/x.cc is in no room"));
}

}  // namespace
