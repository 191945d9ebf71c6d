#include "profile/layout.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/cells.h"

namespace strata {

namespace {

// The first of several shapes.
std::string_view first_shape(std::string_view shapes) {
  return shapes.substr(0, shapes.find(", "));
}

std::vector<std::string_view> sizes_of(std::string_view shape) {
  std::vector<std::string_view> sizes;
  constexpr std::string_view kTimes = "×";
  while (!shape.empty()) {
    const std::size_t end = std::min(shape.find(kTimes), shape.size());
    sizes.push_back(shape.substr(0, end));
    shape.remove_prefix(std::min(end + kTimes.size(), shape.size()));
  }
  return sizes;
}

// `(1, 3, 224, 224)`
Cell tuple_cell(std::string_view shapes) {
  return {fmt::format("({})", fmt::join(sizes_of(first_shape(shapes)), ", ")), Certainty::Exact};
}

// `3x224x224`: without the batch.
Cell sample_cell(std::string_view shapes) {
  std::vector<std::string_view> sizes = sizes_of(first_shape(shapes));
  if (!sizes.empty()) sizes.erase(sizes.begin());
  return {fmt::format("{}", fmt::join(sizes, "x")), Certainty::Exact};
}

Cell amount_cell(const Amount& amount, Certainty certainty) {
  if (amount.is_whole() && !amount.is_unknown()) return {amount.above(), certainty};
  if (const auto number = amount.number()) return {*number, certainty};
  return {std::monostate{}, Certainty::Unknown};
}

Cell index_cell(const Row& r) { return {Expr(r.index), Certainty::Exact}; }
Cell params_cell(const Row& r) { return {r.figures.params, Certainty::Exact}; }
Cell flops_cell(const Row& r) { return amount_cell(r.figures.flops, r.figures.work); }
Cell macs_cell(const Row& r) { return amount_cell(r.figures.macs, r.figures.macs_work); }
Cell read_cell(const Row& r) { return amount_cell(r.figures.read_bytes, r.figures.bytes); }
Cell write_cell(const Row& r) { return amount_cell(r.figures.write_bytes, r.figures.bytes); }
Cell moved_cell(const Row& r) {
  return amount_cell(r.figures.read_bytes + r.figures.write_bytes, r.figures.bytes);
}

// The size of the output as f32, in 2^20 bytes.
Cell megabytes_cell(const Row& r) {
  if (!r.figures.activation_bytes.is_number()) return {};
  return {static_cast<double>(r.figures.activation_bytes.value()) / 1048576.0, r.figures.bytes};
}

Cell optional_cell(const std::optional<double>& number) {
  if (!number) return {};
  return {*number, Certainty::Exact};
}

Cell rate_cell(const Row& r) {
  const auto flops = r.figures.flops.number();
  if (!flops || !r.figures.seconds || *r.figures.seconds <= 0) return {};
  return {*flops / *r.figures.seconds, r.figures.work};
}

constexpr ColumnRule kRasp[] = {
    {"index", "index", Unit::Count, false, 0, true, "", index_cell},
    {"name", "name", Unit::Text, false, 0, true, "",
     [](const Row& r) {
       return Cell{"." + r.layer, Certainty::Exact};
     }},
    {"type", "type", Unit::Text, false, 1, true, "",
     [](const Row& r) {
       return Cell{r.type, Certainty::Exact};
     }},
    {"in_shape", "in_shape", Unit::Text, false, 6, true, "",
     [](const Row& r) { return tuple_cell(r.input); }},
    {"out_shape", "out_shape", Unit::Text, false, 3, true, "",
     [](const Row& r) { return tuple_cell(r.output); }},
    {"params", "params", Unit::Count, true, 2, true, "", params_cell},
    {"flops", "flops", Unit::Flops, true, 0, true, "", flops_cell},
    {"mem_r", "mem_r", Unit::Bytes, true, 5, true, "", read_cell},
    {"mem_w", "mem_w", Unit::Bytes, true, 5, true, "", write_cell},
    {"mem_rw", "mem_rw", Unit::Bytes, true, 4, true, "", moved_cell},
    {"macc", "macc", Unit::Macs, true, 1, true, "", macs_cell},
    {"lat", "lat", Unit::Seconds, true, 3, true, "",
     [](const Row& r) { return optional_cell(r.figures.seconds); }, Need::Time},
    {"net_lat", "net_lat", Unit::Seconds, false, 4, true, "",
     [](const Row& r) { return optional_cell(r.seconds_so_far); }, Need::Time},
    {"lat[%]", "lat[%]", Unit::Percent, false, 4, true, "",
     [](const Row& r) { return optional_cell(r.time_share); }, Need::Time},
    {"FLOPS", "FLOPS", Unit::FlopsPerSecond, false, 4, true, "", rate_cell, Need::Time},
    {"mem_alloc", "mem_alloc", Unit::Bytes, true, 5, true, "",
     [](const Row& r) { return taken_cell(r, &TakenMemory::allocated); }, Need::Memory},
    {"mem_held", "mem_held", Unit::Bytes, false, 5, true, "",
     [](const Row& r) { return taken_cell(r, &TakenMemory::held); }, Need::Memory},
    {"mem_peak", "mem_peak", Unit::Bytes, false, 5, true, "",
     [](const Row& r) { return taken_cell(r, &TakenMemory::peak); }, Need::Memory},
    {"net_dev_mem", "net_dev_mem", Unit::Bytes, false, 7, true, "",
     [](const Row& r) { return device_cell(r, &CallMemory::net); }, Need::CudaMemory},
    {"dev_mem_alloc", "dev_mem_alloc", Unit::Bytes, false, 7, true, "",
     [](const Row& r) { return device_cell(r, &CallMemory::alloc); }, Need::CudaMemory},
    // Not a maximum: what is in use at the exit.
    {"dev_max_mem_alloc", "dev_max_mem_alloc", Unit::Bytes, false, 7, true, "",
     [](const Row& r) { return device_cell(r, &CallMemory::at_exit); }, Need::CudaMemory},
};

// Its names are swapped: MAdd is FLOPs, Flops is MACs.
constexpr ColumnRule kTorchstat[] = {
    {"index", "", Unit::Count, false, 0, true, "", index_cell},
    {"module name", "module name", Unit::Text, false, 0, true, "",
     [](const Row& r) {
       return Cell{r.layer, Certainty::Exact};
     }},
    {"input shape", "input shape", Unit::Text, false, 6, true, "",
     [](const Row& r) { return sample_cell(r.input); }},
    {"output shape", "output shape", Unit::Text, false, 3, true, "",
     [](const Row& r) { return sample_cell(r.output); }},
    {"params", "params", Unit::Count, true, 2, true, "", params_cell},
    {"memory(MB)", "memory(MB)", Unit::Megabytes, true, 4, true, "", megabytes_cell},
    {"MAdd", "MAdd", Unit::Flops, true, 0, true, "", flops_cell},
    {"Flops", "Flops", Unit::Macs, true, 1, true, "", macs_cell},
    {"MemRead(B)", "MemRead(B)", Unit::Bytes, true, 5, true, "", read_cell},
    {"MemWrite(B)", "MemWrite(B)", Unit::Bytes, true, 5, true, "", write_cell},
    {"duration[%]", "duration[%]", Unit::Percent, false, 4, true, "",
     [](const Row& r) { return optional_cell(r.time_share); }, Need::Time},
    {"MemR+W(B)", "MemR+W(B)", Unit::Bytes, true, 5, true, "", moved_cell},
};

// Elements of the first output.
Expr elements_of(const Row& r) {
  if (!r.figures.activation_bytes.is_number() || r.figures.bytes != Certainty::Exact)
    return Expr::unknown();
  const auto type = dtype_from_name(r.dtype);
  const int size = type ? bits(*type) / 8 : 0;
  return size > 0 ? floor_div(r.figures.activation_bytes, size) : Expr::unknown();
}

template <int kBatches>
Cell elements_cell(const Row& r) {
  const Expr count = elements_of(r) * kBatches;
  if (count.is_unknown()) return {};
  return {count, Certainty::Exact};
}

template <int kBatches>
Cell kept_cell(const Row& r) {
  const Expr bytes = r.figures.activation_bytes * kBatches;
  if (bytes.is_unknown()) return {};
  return {bytes, r.figures.bytes};
}

// Memory of a calibration that keeps every activation of this many batches.
constexpr ColumnRule kActivations[] = {
    {"layer", "Layer", Unit::Text, false, 0, true, "",
     [](const Row& r) {
       return Cell{r.block.empty() ? r.layer : r.block, Certainty::Exact};
     }},
    {"type", "Type", Unit::Text, false, 3, true, "",
     [](const Row& r) {
       return Cell{r.type, Certainty::Exact};
     }},
    {"output", "Output", Unit::Text, false, 2, true, "",
     [](const Row& r) {
       return Cell{r.output, Certainty::Exact};
     }},
    {"elements", "Elements", Unit::Count, true, 0, true, "", elements_cell<1>},
    {"elements_10", "10 batches", Unit::Count, true, 1, true, "", elements_cell<10>},
    {"elements_100", "100 batches", Unit::Count, true, 1, true, "", elements_cell<100>},
    {"bytes_10", "Bytes of 10", Unit::Bytes, true, 0, true, "", kept_cell<10>},
    {"bytes_100", "of 100", Unit::Bytes, true, 0, true, "", kept_cell<100>},
};

constexpr Layout kLayouts[] = {
    {"rasp", "rasp", RowChoice::Modules, kRasp},
    {"torchstat", "torchstat", RowChoice::ModulesOnce, kTorchstat},
    {"activations", "strata", RowChoice::Activations, kActivations},
};

}  // namespace

Result<const Layout*> find_layout(std::string_view name) {
  for (const Layout& layout : kLayouts)
    if (layout.name == name) return &layout;
  return failure(
      fmt::format("there is no layout \"{}\"; layouts are: rasp, torchstat, activations", name),
      ErrorKind::Usage);
}

}  // namespace strata
