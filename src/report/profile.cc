#include "report/footer.h"
#include "strata/report/report.h"

namespace strata {

Document to_document(const Profile& profile) {
  Document document = profile_document(profile);
  // The lines are of this profile without its rows, which may be many.
  Profile facts = with_visible_names(profile);
  facts.rows.clear();
  document.tables.front().foot = [facts = std::move(facts)](const TableStyle& style) {
    return footer_text(facts, style);
  };
  document.sections = {{.table = document.tables.front().name}};
  return document;
}

std::string to_table(const Profile& profile, const TableStyle& style) {
  return render_table(to_document(profile), style);
}

std::string to_csv(const Profile& profile) { return render_csv(profile_document(profile)); }

std::string to_markdown(const Profile& profile, const TableStyle& style) {
  return render_markdown(to_document(profile), style);
}

}  // namespace strata
