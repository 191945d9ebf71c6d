#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "report/footer.h"
#include "strata/report/report.h"

namespace strata {

Document to_document(const Profile& profile) { return to_document(Profile(profile)); }

Document to_document(Profile&& profile) {
  Document document = profile_document(std::move(profile));
  // The lines are of what is left of it: all but its rows, which may be many.
  // NOLINTNEXTLINE(bugprone-use-after-move): profile_document() takes the rows and nothing else
  const auto facts = std::make_shared<const Profile>(with_visible_names(std::move(profile)));
  document.tables.front().foot = [facts](const TableStyle& style) {
    return footer_text(*facts, style);
  };
  document.tables.front().asides = [facts](const TableStyle&) { return asides_text(*facts); };
  document.sections = {{.table = document.tables.front().name}};
  return document;
}

Status save_profile(const Profile& shown, const Profile& full, const std::string& folder,
                    const TableStyle& style) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return failure(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  for (const Renderer& renderer : renderers()) {
    if (!renderer.kinds.empty()) continue;  // formats that need more than counts
    const std::string_view ending = renderer.endings.substr(0, renderer.endings.find(' '));
    const std::string path = std::filesystem::path(folder) / fmt::format("profile{}", ending);
    const Document document = to_document(renderer.for_people ? shown : full);
    if (auto status = save_document(document, renderer, path, style); !status) return status;
  }
  return {};
}

std::string to_table(const Profile& profile, const TableStyle& style) {
  return render_table(to_document(profile), style);
}

std::string to_csv(const Profile& profile) { return render_csv(profile_document(profile)); }

std::string to_markdown(const Profile& profile, const TableStyle& style) {
  return render_markdown(to_document(profile), style);
}

}  // namespace strata
