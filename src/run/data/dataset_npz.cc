// Items from .npz files. A compressed array can only be read from its start, so the position after
// the last item is kept: reading samples in order unpacks every file once.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/dataset_items.h"
#include "data/npy.h"
#include "data/npz.h"

namespace strata {

namespace {

// An array that is being read.
struct Stream {
  std::string path;
  ZipArchive archive;
  zip_uint64_t index = 0;
  ZipFile file;                // declared after the archive, so that it is closed first
  std::uint64_t position = 0;  // in `file`
  bool packed = true;
  NpyHeader header;
  ItemShape shape;

  tl::unexpected<Error> wrong(std::string_view what) const {
    return failure(fmt::format("{}: {}: {}", path, zip_get_name(archive.get(), index, 0), what));
  }
  Status rewind() {
    file.reset(zip_fopen_index(archive.get(), index, 0));
    position = 0;
    if (file == nullptr) return wrong(zip_strerror(archive.get()));
    return {};
  }
  // Reads up to `size` bytes, fewer at the end of the array.
  Result<std::size_t> read(char* out, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
      const zip_int64_t got = zip_fread(file.get(), out + done, size - done);
      if (got < 0) return wrong(zip_file_strerror(file.get()));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    position += done;
    return done;
  }
  // Appends `size` bytes. `data` grows with the bytes that are there: the size that a file states
  // may be wrong.
  Status append(std::uint64_t size, std::vector<std::byte>& data) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    while (size > 0) {
      const std::size_t before = data.size();
      const auto piece = static_cast<std::size_t>(std::min(size, kPiece));
      data.resize(before + piece);
      auto got = read(reinterpret_cast<char*>(data.data() + before), piece);
      if (!got) return failure(got);
      if (*got < piece) return wrong(fmt::format("ends {} bytes too early", size - *got));
      size -= piece;
    }
    return {};
  }
  Status seek(std::uint64_t to) {
    if (to == position) return {};
    // After a failed seek the file cannot be read any further.
    const bool there =
        !packed && zip_fseek(file.get(), static_cast<zip_int64_t>(to), SEEK_SET) == 0;
    if (there) position = to;
    if (to < position || (!packed && !there))
      if (auto fine = rewind(); !fine) return fine;
    std::vector<std::byte> passed;
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    while (position < to) {
      passed.clear();
      if (auto fine = append(std::min(to - position, kPiece), passed); !fine) return fine;
    }
    return {};
  }
};

class NpzItems final : public ItemReader {
 public:
  NpzItems(ItemType type, bool any_name) : type_(std::move(type)), any_name_(any_name) {}

  Result<std::int64_t> count(const std::string& path) const override {
    auto stream = open(path);
    if (!stream) return failure(stream);
    return (*stream)->shape.count;
  }

  Result<std::vector<std::int64_t>> read(const std::string& path, std::int64_t first,
                                         std::int64_t count,
                                         std::vector<std::byte>& data) const override {
    const std::lock_guard lock(mutex_);
    if (last_ == nullptr || last_->path != path) {
      auto stream = open(path);
      if (!stream) return failure(stream);
      last_ = std::move(*stream);
    }
    const ItemShape& shape = last_->shape;
    if (first + count > shape.count) return last_->wrong("has changed while it was in use");
    const std::uint64_t item = last_->header.element_bytes / shape.count;
    auto fine = last_->seek(last_->header.start + item * static_cast<std::uint64_t>(first));
    if (fine) fine = last_->append(item * static_cast<std::uint64_t>(count), data);
    if (!fine) {
      last_ = nullptr;
      return failure(fine);
    }
    return shape.item;
  }

 private:
  Result<zip_uint64_t> find(zip_t* archive, const std::string& path) const {
    const zip_int64_t found = zip_name_locate(archive, (type_.input + ".npy").c_str(), 0);
    if (found >= 0) return static_cast<zip_uint64_t>(found);
    std::vector<std::string> names;
    zip_uint64_t last = 0;
    for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
      const char* name = zip_get_name(archive, static_cast<zip_uint64_t>(i), 0);
      std::string text = name != nullptr ? name : "";
      if (!text.ends_with(".npy")) continue;
      names.push_back(text.substr(0, text.size() - 4));
      last = static_cast<zip_uint64_t>(i);
    }
    if (any_name_ && names.size() == 1) return last;
    return failure(fmt::format("{}: holds no array \"{}\" for that input; it holds {}", path,
                               type_.input,
                               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }

  Result<std::unique_ptr<Stream>> open(const std::string& path) const {
    auto stream = std::make_unique<Stream>();
    stream->path = path;
    auto archive = open_npz(path);
    if (!archive) return failure(archive);
    stream->archive = std::move(*archive);
    const auto index = find(stream->archive.get(), path);
    if (!index) return failure(index);
    stream->index = *index;
    if (auto fine = stream->rewind(); !fine) return failure(fine);

    std::string start(kMostNpyHeader, '\0');
    const auto got = stream->read(start.data(), start.size());
    if (!got) return failure(got);
    start.resize(*got);
    const std::string label =
        fmt::format("{}: {}", path, zip_get_name(stream->archive.get(), *index, 0));
    auto header = read_npy_header(start, label);
    if (!header) return failure(header);
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(stream->archive.get(), *index, 0, &stat) != 0 ||
        (stat.valid & ZIP_STAT_SIZE) == 0 || stat.size != header->start + header->element_bytes)
      return stream->wrong(fmt::format("its shape needs {} bytes and it has {}",
                                       header->start + header->element_bytes, stat.size));
    stream->packed = (stat.valid & ZIP_STAT_COMP_METHOD) == 0 || stat.comp_method != ZIP_CM_STORE;
    auto shape = item_shape(type_, header->dtype, header->dims, label);
    if (!shape) return failure(shape);
    stream->header = std::move(*header);
    stream->shape = std::move(*shape);
    return stream;
  }

  ItemType type_;
  bool any_name_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Stream> last_;
};

}  // namespace

std::unique_ptr<ItemReader> npz_items(ItemType type, bool any_name) {
  return std::make_unique<NpzItems>(std::move(type), any_name);
}

}  // namespace strata
