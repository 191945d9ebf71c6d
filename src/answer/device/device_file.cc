// Reads the file of a device: lines `key = "text"` in TOML, of which it needs no more.
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "base/nearest.h"
#include "base/quantity.h"
#include "strata/device/device.h"

namespace strata {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;

enum class FigureUnit : std::uint8_t { Bytes, BytesPerSecond, Watts, Hertz, Nanometres, Count };

struct FigureRow {
  std::string_view key;
  std::optional<Figure> Device::*member;
  FigureUnit unit;
};
constexpr FigureRow kFigures[] = {
    {"memory", &Device::memory_bytes, FigureUnit::Bytes},
    {"bandwidth", &Device::bandwidth, FigureUnit::BytesPerSecond},
    {"power", &Device::power, FigureUnit::Watts},
    {"process", &Device::process_nm, FigureUnit::Nanometres},
    {"units", &Device::units, FigureUnit::Count},
    {"clock", &Device::clock_hz, FigureUnit::Hertz},
    {"l2", &Device::l2_bytes, FigureUnit::Bytes},
    {"l3", &Device::l3_bytes, FigureUnit::Bytes},
    {"ram", &Device::ram_bytes, FigureUnit::Bytes},
    {"flash", &Device::flash_bytes, FigureUnit::Bytes},
    {"link", &Device::link, FigureUnit::BytesPerSecond},
};

struct TextRow {
  std::string_view key;
  std::string Device::*member;
};
constexpr TextRow kTexts[] = {{"title", &Device::title},
                              {"kind", &Device::kind},
                              {"family", &Device::family},
                              {"note", &Device::note}};

constexpr std::string_view kPeaks[] = {"fp64", "fp32", "fp32-matrix", "tf32", "fp16",
                                       "bf16", "fp8",  "int8",        "fp4"};

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// `700 W`, `1.98 GHz`, `132`: what parse_quantity() has no word for.
Result<double> plain_number(std::string_view text, std::string_view unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  double scale = 1;
  if (!unit.empty() && rest.size() == unit.size() + 1 && rest.ends_with(unit)) {
    constexpr std::string_view kPrefixes = "mkMG";
    constexpr std::array<double, 4> kScales = {1e-3, 1e3, 1e6, 1e9};
    const std::size_t at = kPrefixes.find(rest[0]);
    if (at != kPrefixes.npos) {
      scale = kScales[at];
      rest.remove_prefix(1);
    }
  }
  if (error != std::errc() || rest != unit || !(value > 0) || !std::isfinite(value))
    return failure(unit.empty()
                       ? fmt::format("\"{}\" is not a number above 0", text)
                       : fmt::format("\"{0}\" is not a number of {1}: write 10 {1}", text, unit),
                   ErrorKind::Usage);
  return value * scale;
}

Result<double> number_of(std::string_view text, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::Bytes:
      return parse_quantity(text, Quantity::Bytes);
    case FigureUnit::BytesPerSecond:
      return parse_quantity(text, Quantity::BytesPerSecond);
    case FigureUnit::Watts:
      return plain_number(text, "W");
    case FigureUnit::Hertz:
      return plain_number(text, "Hz");
    case FigureUnit::Nanometres:
      return plain_number(text, "nm");
    case FigureUnit::Count:
      break;
  }
  return plain_number(text, "");
}

class DeviceReader {
 public:
  DeviceReader(std::string_view name, std::string_view file) : file_(file) {
    device_.name = name;
    device_.title = name;
  }

  Result<Device> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      if (Status status = read_line(trimmed(text.substr(0, end))); !status) return failure(status);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (device_.peaks.empty() && !device_.bandwidth)
      return failure(fmt::format("{}: it states neither a speed nor a bandwidth; write for example "
                                 "fp32 = \"10 TFLOP/s\" and bandwidth = \"500 GB/s\"",
                                 file_),
                     ErrorKind::Usage);
    give_sources();
    return std::move(device_);
  }

 private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    return failure(coded(Code::FileBroken, {.file = std::string(file_), .name = "device"},
                         {fmt::format("{}:{}: {}", file_, line_, what), ErrorKind::Usage}));
  }

  Status read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    if (line.front() == '[') {
      return start_section(trimmed(line.substr(0, line.find('#'))));
    }
    const std::size_t equals = line.find('=');
    if (equals == line.npos) return wrong("a line has the form key = \"value\"");
    const std::string_view key = trimmed(line.substr(0, equals));
    std::string_view value = trimmed(line.substr(equals + 1));
    if (value.starts_with('"')) {
      value.remove_prefix(1);
      const std::size_t end = value.find('"');
      if (end == value.npos) return wrong("the text has no closing quote");
      const std::string_view after = trimmed(value.substr(end + 1));
      if (!after.empty() && after.front() != '#') return wrong("text follows the closing quote");
      value = value.substr(0, end);
    } else {
      value = trimmed(value.substr(0, value.find('#')));
    }
    return read_in_section(key, value);
  }

  Status start_section(std::string_view name) {
    section_ = name;
    if (name == "[measured]")
      device_.measured.emplace();
    else if (name == "[classes]" && !device_.measured)
      return wrong("[classes] follows [measured]");
    else if (name != "[sources]" && name != "[checked]" && name != "[classes]")
      return wrong("a device has the sections [sources], [checked], [measured] and [classes]");
    return {};
  }

  Status read_in_section(std::string_view key, std::string_view value) {
    if (section_.empty()) return read_value(key, value);
    if (section_ == "[measured]") return read_measured(key, value);
    if (section_ == "[classes]") return read_class(key, value);
    return read_remark(key, value);
  }

  Status read_measured(std::string_view key, std::string_view value) {
    MeasuredRuntime& measured = *device_.measured;
    for (const auto& [name, member] : {std::pair("engine", &MeasuredRuntime::engine),
                                       std::pair("runtime", &MeasuredRuntime::runtime),
                                       std::pair("precision", &MeasuredRuntime::precision)})
      if (key == name) {
        measured.*member = value;
        return {};
      }
    for (const auto& [name, member] :
         {std::pair("launch_s", &MeasuredRuntime::launch_seconds),
          std::pair("low", &MeasuredRuntime::low), std::pair("high", &MeasuredRuntime::high)})
      if (key == name) {
        const auto number = plain_number(value, "");
        if (!number) return wrong(number.error().message);
        measured.*member = *number;
        return {};
      }
    return wrong(fmt::format("[measured] has no \"{}\"", key));
  }

  // `conv1x1 = "0.82 1.9 2.1e-06 57"`
  Status read_class(std::string_view key, std::string_view value) {
    std::array<double, 4> numbers = {};
    for (double& number : numbers) {
      const std::string_view word = value.substr(0, value.find(' '));
      const auto read = plain_number(word, "");
      if (!read) return wrong(read.error().message);
      number = *read;
      value = trimmed(value.substr(word.size()));
    }
    if (!value.empty()) return wrong(fmt::format("\"{}\" follows the four numbers", value));
    const auto kernels = static_cast<std::size_t>(std::min(numbers[3], 1e9));
    device_.measured->classes.push_back(
        {std::string(key), numbers[0], numbers[1], numbers[2], kernels});
    return {};
  }

  Status read_remark(std::string_view key, std::string_view value) {
    Figure* figure = figure_of(key);
    if (figure == nullptr) return wrong(fmt::format("no \"{}\" is stated above", key));
    (section_ == "[sources]" ? figure->source : figure->checked) = value;
    return {};
  }

  Figure* figure_of(std::string_view key) {
    for (const FigureRow& row : kFigures)
      if (row.key == key) return device_.*row.member ? &*(device_.*row.member) : nullptr;
    for (Peak& peak : device_.peaks)
      if (peak.precision == key) return &peak.per_second;
    return nullptr;
  }

  Status read_value(std::string_view key, std::string_view value) {
    if (key == "aliases") return {};  // device.cc looks for them before it reads the rest
    if (key == "source") {
      source_ = value;
      return {};
    }
    for (const TextRow& row : kTexts)
      if (row.key == key) {
        device_.*row.member = value;
        return {};
      }
    if (figure_of(key) != nullptr) return wrong(fmt::format("\"{}\" is stated twice", key));
    for (const FigureRow& row : kFigures)
      if (row.key == key) {
        const auto number = number_of(value, row.unit);
        if (!number) return wrong(number.error().message);
        device_.*row.member = Figure{*number, {}};
        return {};
      }
    for (const std::string_view precision : kPeaks)
      if (precision == key) {
        const auto number = parse_quantity(value, Quantity::FlopsPerSecond);
        if (!number) return wrong(number.error().message);
        device_.peaks.push_back({std::string(key), {*number, {}}});
        return {};
      }
    return wrong(unknown_key(key));
  }

  static std::string unknown_key(std::string_view key) {
    std::vector<std::string> names = {"source", "aliases"};
    for (const TextRow& row : kTexts) names.emplace_back(row.key);
    for (const FigureRow& row : kFigures) names.emplace_back(row.key);
    for (const std::string_view precision : kPeaks) names.emplace_back(precision);
    return fmt::format("a device has no \"{}\"{}", key, did_you_mean(key, names));
  }

  void give_sources() {
    const std::string_view usual = source_.empty() ? std::string_view(file_) : source_;
    const auto give = [&](Figure& figure) {
      if (figure.source.empty()) figure.source = usual;
    };
    for (const FigureRow& row : kFigures)
      if (device_.*row.member) give(*(device_.*row.member));
    for (Peak& peak : device_.peaks) give(peak.per_second);
  }

  Device device_;
  std::string_view file_, source_;
  std::size_t line_ = 0;
  std::string_view section_;  // empty: before the first one
};

}  // namespace

Result<Device> parse_device(std::string_view text, std::string_view name, std::string_view file) {
  if (text.size() > kMostBytes)
    return failure(fmt::format("{}: it has more than 1 MiB, too much for a device", file),
                   ErrorKind::Usage);
  return DeviceReader(name, file).read(text);
}

Result<Device> read_device_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return parse_device((*file)->bytes(), std::filesystem::path(path).stem().string(), path);
}

}  // namespace strata
