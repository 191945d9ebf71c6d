#include "cli/command.h"
#include "cli/device_options.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/report/devices.h"

namespace strata::cli {

namespace {

struct Options {
  DeviceFiles files;
  TableOptions table;
  DeviceFiles files_of_one;
  TableOptions table_of_one;
  std::string name;
};

Result<int> list(const Options& options) {
  auto devices = options.files.read();
  if (!devices) return failure(devices);
  for (Device& device : all_devices()) devices->push_back(std::move(device));
  Document document = devices_document(*devices);
  document.sections.push_back(
      lines_section("`strata devices show NAME` says where each number is from.\n"));
  return options.table.print(std::move(document));
}

Result<int> show(const Options& options) {
  const auto added = options.files_of_one.read();
  if (!added) return failure(added);
  const auto device = find_devices(options.name, *added);
  if (!device) return failure(device);
  return options.table_of_one.print(device_document(device->device));
}

}  // namespace

Command add_devices(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("devices", "list the machines that strata knows");
  app->add({{"--device-file", &options->files.paths}});
  options->table.add_to(*app);
  App* one = app->add_subcommand("show", "show every number of a device and its source");
  one->add({{"device", &options->name}, {"--device-file", &options->files_of_one.paths}});
  options->table_of_one.add_to(*one);
  return {app, [options, one] { return one->parsed() ? show(*options) : list(*options); }};
}

}  // namespace strata::cli
