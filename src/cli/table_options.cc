#include "cli/table_options.h"

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
                 fmt::format("{} (the default), {}; by the file's ending if not given",
                             formats.front(), fmt::join(formats.begin() + 1, formats.end(), ", ")))
      ->one_of(formats);
  app.add("table", {{destination, &output}, {"--with-paths", &with_paths_}, {"--width", &width_}});
  app.need_that(
      {"--with-paths"}, [this] { return format() != "table"; },
      "a table for the terminal has them; take --format csv, json, md or html");
  app.need_that(
      {"--width"}, [this] { return format() == "table"; },
      "only a table for the terminal has a width; take --format table");
  app.add_option("--chart NAME", chart_,
                 fmt::format("of svg and png: {}; the first there is if not given",
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
                             {"--top", &choice_.top},
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
  return !choice_.columns.empty() || !choice_.sort.empty() || choice_.top != 0 ||
         !choice_.filter.empty();
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
  style.phrase = manual::advised;
  style.chart = chart_;
  const bool forced = color_ == "always";  // also into a file: for `less -R`
  style.color = forced || (to_terminal && wants_color(color_));
  style.bars = forced || (to_terminal && is_terminal_output());
  return style;
}

Status TableOptions::check(std::string_view kind) const {
  if (Status status = check_kind(renderer(), kind); !status) return status;
  return check_output_path(file(), file_kind(renderer(), kind));
}

Status TableOptions::write(const std::string& text) const { return write_output(file(), text); }

Status TableOptions::write(Document document, const TableStyle& style) const {
  if (auto status = choose(document, choice_); !status) return status;
  if (style.exact && exact_means_numbers_) show_numbers(document);
  document.options = given_options(*app_);
  if (Outlet* to = outlet(); to != nullptr && is_standard_output(file())) {
    to->document(std::move(document), renderer(), style, most_bytes_);
    return {};
  }
  auto target = open_output(file(), file_kind(renderer(), document.kind));
  if (!target) return failure(target);
  return write_document(document, renderer(), style, std::move(*target), most_bytes_);
}

Result<int> TableOptions::print(Document document, int code) const {
  if (Status status = write(std::move(document)); !status) return failure(status);
  return code;
}

}  // namespace strata::cli
