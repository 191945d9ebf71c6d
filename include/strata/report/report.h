// A profile as text: a document with what stands below its table, and the usual outputs of it.
#pragma once

#include <string>

#include "strata/document/render.h"
#include "strata/profile/profile.h"

namespace strata {

// profile_document(), with the lines below the table for people.
Document to_document(const Profile& profile);
Document to_document(Profile&& profile);  // large tables are not copied

// Writes `profile.txt`, `profile.csv` and so on into a folder, one file for each renderer: `shown`
// for people, `full` for programs.
Status save_profile(const Profile& shown, const Profile& full, const std::string& folder,
                    const TableStyle& style = {});

std::string to_table(const Profile& profile, const TableStyle& style = {});
std::string to_csv(const Profile& profile);
std::string to_markdown(const Profile& profile, const TableStyle& style = {});

}  // namespace strata
