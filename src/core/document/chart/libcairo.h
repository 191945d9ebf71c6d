// cairo, opened when the first PNG is drawn. The functions below, and the numbers of the few
// enumerations that they take, have been cairo's since 1.2 (2006) and are declared here, so that
// building strata needs none of its headers.
#pragma once

#include "base/system_library.h"

namespace strata {

struct CairoSurface;
struct CairoContext;
using CairoWrite = int (*)(void* closure, const unsigned char* data, unsigned length);

struct CairoTextExtents {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
};

inline constexpr int kCairoRgb24 = 1;  // CAIRO_FORMAT_RGB24
inline constexpr int kCairoUpright = 0, kCairoNormal = 0, kCairoBold = 1;
inline constexpr int kCairoSuccess = 0;

extern SystemLibrary libcairo;
inline LibraryFunction<CairoSurface*(int, int, int)> cairo_image_surface_create(
    libcairo, "cairo_image_surface_create");
inline LibraryFunction<int(CairoSurface*)> cairo_surface_status(libcairo, "cairo_surface_status");
inline LibraryFunction<void(CairoSurface*)> cairo_surface_destroy(libcairo,
                                                                  "cairo_surface_destroy");
inline LibraryFunction<int(CairoSurface*, CairoWrite, void*)> cairo_surface_write_to_png_stream(
    libcairo, "cairo_surface_write_to_png_stream");
inline LibraryFunction<CairoContext*(CairoSurface*)> cairo_create(libcairo, "cairo_create");
inline LibraryFunction<void(CairoContext*)> cairo_destroy(libcairo, "cairo_destroy");
inline LibraryFunction<int(CairoContext*)> cairo_status(libcairo, "cairo_status");
inline LibraryFunction<void(CairoContext*)> cairo_save(libcairo, "cairo_save");
inline LibraryFunction<void(CairoContext*)> cairo_restore(libcairo, "cairo_restore");
inline LibraryFunction<void(CairoContext*, double, double)> cairo_scale(libcairo, "cairo_scale");
inline LibraryFunction<void(CairoContext*, double, double)> cairo_translate(libcairo,
                                                                            "cairo_translate");
inline LibraryFunction<void(CairoContext*, double)> cairo_rotate(libcairo, "cairo_rotate");
inline LibraryFunction<void(CairoContext*, double, double, double, double)> cairo_set_source_rgba(
    libcairo, "cairo_set_source_rgba");
inline LibraryFunction<void(CairoContext*, double)> cairo_set_line_width(libcairo,
                                                                         "cairo_set_line_width");
inline LibraryFunction<void(CairoContext*, const double*, int, double)> cairo_set_dash(
    libcairo, "cairo_set_dash");
inline LibraryFunction<void(CairoContext*)> cairo_paint(libcairo, "cairo_paint");
inline LibraryFunction<void(CairoContext*)> cairo_fill(libcairo, "cairo_fill");
inline LibraryFunction<void(CairoContext*)> cairo_stroke(libcairo, "cairo_stroke");
inline LibraryFunction<void(CairoContext*)> cairo_new_path(libcairo, "cairo_new_path");
inline LibraryFunction<void(CairoContext*, double, double)> cairo_move_to(libcairo,
                                                                          "cairo_move_to");
inline LibraryFunction<void(CairoContext*, double, double)> cairo_line_to(libcairo,
                                                                          "cairo_line_to");
inline LibraryFunction<void(CairoContext*, double, double, double, double, double, double)>
    cairo_curve_to(libcairo, "cairo_curve_to");
inline LibraryFunction<void(CairoContext*, double, double, double, double)> cairo_rectangle(
    libcairo, "cairo_rectangle");
inline LibraryFunction<void(CairoContext*, double, double, double, double, double)> cairo_arc(
    libcairo, "cairo_arc");
inline LibraryFunction<void(CairoContext*, const char*, int, int)> cairo_select_font_face(
    libcairo, "cairo_select_font_face");
inline LibraryFunction<void(CairoContext*, double)> cairo_set_font_size(libcairo,
                                                                        "cairo_set_font_size");
inline LibraryFunction<void(CairoContext*, const char*, CairoTextExtents*)> cairo_text_extents(
    libcairo, "cairo_text_extents");
inline LibraryFunction<void(CairoContext*, const char*)> cairo_show_text(libcairo,
                                                                         "cairo_show_text");

}  // namespace strata
