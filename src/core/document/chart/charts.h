// The charts that a document has, as drawings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/chart/scene.h"
#include "strata/document/document.h"

namespace strata {

// Each draws nothing if the document has not what it shows.
std::optional<PlotScene> along_chart(const Document& document);   // what every layer costs
std::optional<PlotScene> memory_chart(const Document& document);  // bytes alive at every layer
std::optional<PlotScene> roofline_chart(
    const Document& document);  // layers below the machine's roof
std::optional<PlotScene> treemap_chart(const Document& document);  // modules as areas
std::optional<PlotScene> graph_chart(const Document& document);    // the network as nested boxes
std::optional<PlotScene> latency_chart(const Document& document);  // medians with their intervals
std::optional<PlotScene> speed_up_chart(const Document& document);
std::optional<PlotScene> sensitivity_chart(const Document& document);  // layers, the worst first
std::optional<PlotScene> cuts_chart(const Document& document);     // bytes at every place to cut
std::optional<PlotScene> link_chart(const Document& document);     // the best cut over link speeds
std::optional<PlotScene> changes_chart(const Document& document);  // what a comparison found

// `along memory roofline …`: all there are.
std::vector<std::string> chart_names();
// The chart of that name; of no name the first that the document has. Errors list those it has.
Result<PlotScene> chart_of(const Document& document, std::string_view name);

}  // namespace strata
