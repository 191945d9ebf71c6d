#include "report/footer.h"
#include "strata/task/zoo_table.h"

namespace strata {

Document zoo_table_document(const ZooTable& table) {
  const Profile& profile = table.profile;
  Document document = new_document("zoo_table");
  document.options = profile.options;
  document.machine = profile.machine;
  document.facts = {{"convention", profile.convention},
                    {"energy_model", profile.energy_model},
                    {"missing", list_cell(table.missing)}};
  document.notes = plain_notes(profile.notes);
  // The last one says which networks are missing.
  if (!table.missing.empty() && !document.notes.empty())
    document.notes.back().changes_answer = true;
  Table networks{.name = "networks", .columns = profile.columns, .rows = profile.rows};
  networks.asides = [machine = profile.machine](const TableStyle&) {
    return machine_text(machine);
  };
  document.tables.push_back(std::move(networks));
  return document;
}

}  // namespace strata
