#include "report/footer.h"
#include "strata/report/report.h"

namespace strata {

Document to_document(const Profile& profile) { return to_document(Profile(profile)); }

Document to_document(Profile&& profile) {
  Document document = profile_document(std::move(profile));
  // The lines are of what is left of it: all but its rows, which may be many.
  document.tables.front().foot = [facts = with_visible_names(std::move(profile))](
                                     const TableStyle& style) { return footer_text(facts, style); };
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
