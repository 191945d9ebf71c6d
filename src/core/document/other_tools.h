// Renderers for the formats of other programs.
#pragma once

#include "strata/document/render.h"

namespace strata {

// Events of Chrome's tracing, which Perfetto and speedscope open: slices that nest, and memory as a
// counter.
Status write_trace(const Document& document, const TableStyle& style, Sink& sink);
// Node data of Model Explorer: a number and a colour for each node of the graph.
Status write_model_explorer(const Document& document, const TableStyle& style, Sink& sink);
// CSV as Excel opens it on a double click.
Status write_excel(const Document& document, const TableStyle& style, Sink& sink);
// One chart of the document as a picture (document/chart/charts.h).
Status write_svg(const Document& document, const TableStyle& style, Sink& sink);
Status write_png(const Document& document, const TableStyle& style, Sink& sink);

}  // namespace strata
