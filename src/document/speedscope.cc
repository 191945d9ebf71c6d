#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/visible.h"
#include "document/other_tools.h"
#include "document/row_values.h"
#include "document/slices.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// Frames by their names: a layer that is called twice is one frame.
class Frames {
 public:
  std::size_t index_of(const std::string& name) {
    const auto [place, is_new] = indices_.try_emplace(name, indices_.size());
    if (is_new) frames_.push_back({{"name", name}});
    return place->second;
  }
  const Json& json() const { return frames_; }

 private:
  std::map<std::string, std::size_t> indices_;
  Json frames_ = Json::array();
};

std::string frame_name(const Slices& slices, const Slice& slice) {
  if (slice.row == nullptr) return visible(slice.name);
  const std::string type = text_of(*slices.table, *slice.row, "type");
  return visible(type.empty() ? slice.name : fmt::format("{} ({})", slice.name, type));
}

}  // namespace

// What is opened last is closed first, as the format asks for.
Status write_speedscope(const Document& document, const TableStyle&, Sink& sink) {
  const auto slices = slices_of(document);
  if (!slices) return failure(slices);
  Frames frames;
  Json events = Json::array();
  std::vector<std::pair<std::size_t, std::int64_t>> open;  // frame and end, the outermost first
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back())
      events.push_back({{"type", "C"}, {"frame", open.back().first}, {"at", open.back().second}});
  };
  for (const Slice& slice : slices->all) {
    close_to(slice.depth);
    const std::size_t frame = frames.index_of(frame_name(*slices, slice));
    events.push_back({{"type", "O"}, {"frame", frame}, {"at", slice.start_ns}});
    open.emplace_back(frame, slice.end_ns);
  }
  close_to(0);
  const Json json = {{"exporter", document.tool + "@" + document.version},
                     {"$schema", "https://www.speedscope.app/file-format-schema.json"},
                     {"name", "layers of a network"},
                     {"activeProfileIndex", 0},
                     {"shared", {{"frames", frames.json()}}},
                     {"profiles", Json::array({{{"type", "evented"},
                                                {"name", "median times of a run"},
                                                {"unit", "nanoseconds"},
                                                {"startValue", 0},
                                                {"endValue", slices->end_ns},
                                                {"events", std::move(events)}}})}};
  return sink.write(json_text(json, -1) + "\n");
}

}  // namespace strata
