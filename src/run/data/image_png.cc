// libpng reports errors by a call that must not return, so this uses setjmp and longjmp, with
// nothing in between that has a destructor.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "data/image.h"
#include "data/libpng.h"

namespace strata {

namespace {

constexpr png_alloc_size_t kMaxChunkBytes = 1 << 20;

struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;  // not read yet
  char text[160] = {};    // what is wrong

  Reader() = default;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Both return false and set `text` if something is wrong.
  bool read_header();
  bool read_pixels(std::uint8_t* out);
};

[[noreturn]] void give_up(png_structp png, png_const_charp message) {
  auto* reader = static_cast<Reader*>(png_get_error_ptr(png));
  std::strncpy(reader->text, message, sizeof reader->text - 1);
  png_longjmp(png, 1);
  std::abort();  // never: the call above does not return
}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (count > reader->rest.size()) give_up(png, "it ends too early");
  std::memcpy(out, reader->rest.data(), count);
  reader->rest.remove_prefix(count);
}

bool Reader::read_header() {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, give_up, [](auto...) {});
  info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) {
    std::strncpy(text, "libpng cannot be started", sizeof text - 1);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, this, read_bytes);
  png_set_chunk_malloc_max(png, kMaxChunkBytes);
  // Besides the pixels, only the palette's chunks are read: texts and colour profiles are
  // compressed, and can unpack to any size.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // check_pixels() has a better message
  png_read_info(png, info);
  return true;
}

bool Reader::read_pixels(std::uint8_t* out) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const png_byte color = png_get_color_type(png, info);
  png_set_strip_16(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (color == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if ((color & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const std::size_t height = png_get_image_height(png, info);
  const std::size_t width = png_get_image_width(png, info);
  if (png_get_rowbytes(png, info) != width * 3) give_up(png, "its rows are of an odd length");
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < height; ++i) png_read_row(png, out + i * width * 3, nullptr);
  return true;
}

}  // namespace

Result<Image> read_png(std::string_view bytes, std::string_view label, const ImageLimits& limits) {
  if (Status opened = libpng.open(); !opened)
    return failure(fmt::format("{}: {}", label, opened.error().message));
  Reader reader;
  reader.rest = bytes;
  const auto wrong = [&] {
    return failure(Code::FileBroken, {.file = std::string(label), .name = "png"},
                   fmt::format("{}: not a PNG file that can be read: {}", label, reader.text));
  };
  if (!reader.read_header()) return wrong();
  Image image;
  image.width = png_get_image_width(reader.png, reader.info);
  image.height = png_get_image_height(reader.png, reader.info);
  if (auto fine = check_pixels(image.width, image.height, label, limits); !fine)
    return failure(fine);
  image.rgb.resize(static_cast<std::size_t>(image.width * image.height) * 3);
  if (!reader.read_pixels(image.rgb.data())) return wrong();
  return image;
}

}  // namespace strata
