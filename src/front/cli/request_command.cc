// A command that another program asks for as JSON.
#include <memory>
#include <string>

#include "base/mapped_file.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/program.h"
#include "options/options.h"
#include "options/request.h"

namespace strata::cli {

namespace {

Result<int> run_request(const std::string& given) {
  const auto path = input_path(given);
  if (!path) return failure(path);
  const auto file = MappedFile::open(*path);
  if (!file) return failure(file);
  const auto request = request_from_json((*file)->bytes());
  if (!request) return failure(request);
  return run_program(*request);
}

}  // namespace

Command add_request(App& program) {
  auto file = std::make_shared<std::string>();
  App* app = program.add_subcommand("request", "run the command that a JSON file asks for");
  app->hide();
  app->add({{"file", file.get()}});
  return {app, [file] { return run_request(*file); }};
}

}  // namespace strata::cli
