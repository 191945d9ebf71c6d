#include "cli/table_options.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/outlet.h"
#include "cli/output.h"
#include "document/chart/charts.h"
#include "manual/advice.h"
#include "options/options.h"

namespace strata::cli {

void TableOptions::add_to(App& app, Exact means, const char* destination) {
  app_ = &app;
  std::vector<std::string> formats;
  for (const Renderer& one : renderers()) formats.emplace_back(one.name);
  app.add_option("--format FORMAT", format_,
                 fmt::format("{} (the default), {}; without it, the ending of --output decides",
                             formats.front(), fmt::join(formats.begin() + 1, formats.end(), ", ")))
      ->one_of(formats);
  app.add("table", {{destination, &output},
                    {"--with-paths", &with_paths_},
                    {"--width", &width_},
                    {"--notes", &notes_}});
  app.need_that(
      {"--with-paths"}, [this] { return format() != "table"; },
      "a table for the terminal has them; take --format csv, json, md or html");
  app.need_that(
      {"--width"}, [this] { return format() == "table"; },
      "only a table for the terminal has a width; take --format table");
  app.need_that(
      {"--notes"}, [this] { return format() == "table"; },
      "other formats have all notes; take --format table");
  app.add_option("--chart NAME", chart_,
                 fmt::format("of svg and png: {} (default: the first that the document has)",
                             fmt::join(chart_names(), ", ")))
      ->one_of(chart_names())
      ->needs([this] { return format() == "svg" || format() == "png"; },
              "a chart is a picture; take --format svg or png");
  app.add("table", {{"--color", &color_}});
  app.need_that(
      {"--color"}, [this] { return renderer().is_for_terminal; },
      "only a table for the terminal has colours; take --format table");
  for (const Binding& one : {Binding{"--columns", &choice_.columns},
                             {"--sort", &choice_.sort},
                             {"--top", &top_},
                             {"--filter", &choice_.filter}})
    if (!app.has_option(one.option)) app.add("table", {one});
  if (means == Exact::Nothing) return;
  exact_means_numbers_ = means == Exact::Numbers;
  app.add("table", {{"--exact", &exact}});
  app.need_that(
      {"--exact"}, [this] { return !is_data(); },
      "csv and json have every digit; take --format table or md");
}

void TableOptions::add_to_list(App& app, std::string& name, const std::string& thing,
                               std::function<bool()> lists) {
  if (!lists) lists = [&name] { return name.empty(); };
  app.add({{"name", &name}});
  add_to(app);
  app.need_that({"--format", "--columns", "--sort", "--top", "--filter"}, lists,
                fmt::format("one {} is shown as text; leave out its name", thing));
}

bool TableOptions::chooses() const {
  return !choice_.columns.empty() || !choice_.sort.empty() || top_ != 0 || !choice_.filter.empty();
}

std::string TableOptions::file() const {
  return !kept_apart.empty() && output.ends_with(kept_apart) ? "" : output;
}

void TableOptions::limit_to(std::uint64_t file_bytes, double factor) {
  most_bytes_ = most_output_bytes(file_bytes, factor);
}

const Renderer& TableOptions::renderer() const {
  if (!format_.empty()) return **find_renderer(format_);  // --format takes no other
  const Renderer* by_file = renderer_of_file(file());
  return by_file != nullptr ? *by_file : renderers().front();
}

TableStyle TableOptions::style() const {
  const bool to_terminal = is_standard_output(file());
  TableStyle style;
  style.width = app_->get_option("--width")->given() ? width_ : to_terminal ? terminal_width() : 0;
  style.exact = exact;
  style.with_paths = with_paths_;
  // A file, or the caller of a library, gets all of them.
  style.notes = notes_ || !to_terminal || outlet() != nullptr;
  style.notes_hint = "--notes prints all";
  style.phrase = manual::advised;
  style.chart = chart_;
  const bool forced = color_ == "always";  // also into a file: for `less -R`
  style.color = forced || (to_terminal && wants_color(color_));
  style.bars = forced || (to_terminal && is_terminal_output());
  if (to_terminal) style.height = terminal_height();
  return style;
}

// An ending that no output has is a mistake in it, or in the name.
Status TableOptions::check_ending() const {
  const std::filesystem::path path = file();
  if (!format_.empty() || is_standard_output(file()) || !path.has_extension()) return {};
  std::error_code error;
  if (renderer_of_file(file()) != nullptr || std::filesystem::is_other(path, error)) return {};
  std::string endings;
  for (const Renderer& renderer : renderers())
    endings += fmt::format("{}{}", endings.empty() ? "" : " ", renderer.endings);
  return failure(
      Code::OptionValue, {.file = file()},
      fmt::format("{}: no output has the ending {}; endings are {}. Take one of them, or name "
                  "the format with --format",
                  file(), path.extension().string(), endings));
}

Status TableOptions::check(std::string_view kind) const {
  if (Status status = check_kind(renderer(), kind); !status) return status;
  // A file of the user's is named first, whatever its ending.
  if (Status status = check_output_path(file(), file_kind(renderer(), kind)); !status)
    return status;
  return check_ending();
}

Status TableOptions::write(const std::string& text) const { return write_output(file(), text); }

std::string partial_path(const std::string& file) { return file + ".partial"; }

std::string partial_sentence(const std::string& file) {
  return fmt::format(
      "interrupted: what was measured is in {}{}", partial_path(file),
      std::filesystem::exists(file) ? fmt::format("; {} was left as it was", file) : std::string());
}

Status TableOptions::write(Document document, const TableStyle& style) const {
  return write_to(file(), std::move(document), style);
}

Status TableOptions::write_partial(Document document, const TableStyle& style) const {
  if (is_standard_output(file())) return write(std::move(document), style);
  has_partial_ = true;
  return write_to(partial_path(file()), std::move(document), style);
}

Result<int> TableOptions::print_partial(Document document) const {
  if (Status status = write_partial(std::move(document)); !status) return failure(status);
  return is_standard_output(file()) ? interrupted() : interrupted(partial_sentence(file()));
}

void TableOptions::remove_partial() const {
  std::error_code error;
  if (std::exchange(has_partial_, false)) std::filesystem::remove(partial_path(file()), error);
}

Status TableOptions::write_to(const std::string& path, Document document,
                              const TableStyle& style) const {
  TableChoice choice = choice_;
  choice.top = top_;
  if (auto status = choose(document, choice); !status) return status;
  if (style.exact && exact_means_numbers_) show_numbers(document);
  document.options = given_options(*app_);
  document.command = command_of(*app_);
  if (Outlet* to = outlet(); to != nullptr && is_standard_output(path)) {
    to->document(std::move(document), renderer(), style, most_bytes_);
    return {};
  }
  auto target = open_output(path, file_kind(renderer(), document.kind));
  if (!target) return failure(target);
  return write_document(document, renderer(), style, std::move(*target), most_bytes_);
}

Result<int> TableOptions::print(Document document, int code) const {
  if (Status status = write(std::move(document)); !status) return failure(status);
  return code;
}

}  // namespace strata::cli
