// libjpeg reports errors by a call that must not return, so this uses setjmp and longjmp, with
// nothing in between that has a destructor.
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>

#include "data/image.h"
#include "data/libjpeg.h"

namespace strata {

namespace {

// A progressive file can have any number of scans, each of which takes as long to decode as the
// whole image.
constexpr int kMaxScans = 500;

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf escape;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void give_up(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->escape, 1);
}

// Only warnings that mean lost pixels count.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      give_up(info);
    default:
      return;
  }
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  auto* errors = reinterpret_cast<Errors*>(info->err);
  std::snprintf(errors->text, sizeof errors->text, "more than %d scans", kMaxScans);
  std::longjmp(errors->escape, 1);
}

struct Reader {
  jpeg_decompress_struct info = {};
  Errors errors = {};
  jpeg_progress_mgr progress = {};

  Reader() {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = give_up;
    errors.base.emit_message = on_message;
    progress.progress_monitor = on_progress;
  }
  ~Reader() { jpeg_destroy_decompress(&info); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Both return false and set errors.text if something is wrong.
  bool read_header(std::string_view bytes);
  bool read_pixels(std::uint8_t* out, std::size_t row_bytes);
};

bool Reader::read_header(std::string_view bytes) {
  if (setjmp(errors.escape) != 0) return false;
  jpeg_create_decompress(&info);
  info.progress = &progress;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  return true;
}

bool Reader::read_pixels(std::uint8_t* out, std::size_t row_bytes) {
  if (setjmp(errors.escape) != 0) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = out + info.output_scanline * row_bytes;
    jpeg_read_scanlines(&info, &row, 1);
  }
  return true;
}

// a · b / 255, rounded.
int share(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// Inks as Adobe writes them, inverted: 255 is none. Each pixel's 4 bytes become 3.
void to_rgb(std::vector<std::uint8_t>& pixels) {
  std::size_t to = 0;
  for (std::size_t from = 0; from + 4 <= pixels.size(); from += 4) {
    const int light = pixels[from + 3];
    for (std::size_t c = 0; c < 3; ++c)
      pixels[to++] = static_cast<std::uint8_t>(light - share(255 - pixels[from + c], light));
  }
  pixels.resize(to);
}

}  // namespace

Result<Image> read_jpeg(std::string_view bytes, std::string_view label, const ImageLimits& limits) {
  if (Status opened = libjpeg.open(); !opened)
    return failure(fmt::format("{}: {}", label, opened.error().message));
  Reader reader;
  const auto wrong = [&] {
    return failure(
        Code::FileBroken, {.file = std::string(label), .name = "jpeg"},
        fmt::format("{}: not a JPEG file that can be read: {}", label, reader.errors.text));
  };
  if (!reader.read_header(bytes)) return wrong();
  Image image;
  image.width = reader.info.image_width;
  image.height = reader.info.image_height;
  if (auto fine = check_pixels(image.width, image.height, label, limits); !fine)
    return failure(fine);
  // Coefficients of a progressive file take 2 bytes for each of at most 4 channels. With odd
  // sampling they take more, which is then an error.
  reader.info.mem->max_memory_to_use = (std::int64_t{64} << 20) + 8 * limits.most_pixels;
  const std::size_t channels = reader.info.out_color_space == JCS_CMYK ? 4 : 3;
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * channels;
  image.rgb.resize(row_bytes * static_cast<std::size_t>(image.height));
  if (!reader.read_pixels(image.rgb.data(), row_bytes)) return wrong();
  if (channels == 4) to_rgb(image.rgb);
  return image;
}

}  // namespace strata
