// A profile as text: one function per output.
#pragma once

#include <string>

#include "strata/profile/profile.h"

namespace strata {

struct TableStyle {
  std::size_t width = 100;  // columns of the terminal; 0: as wide as it gets
  bool exact = false;       // every digit instead of human units
  bool color = false;
};

std::string to_table(const Profile& profile, const TableStyle& style = {});
std::string to_csv(const Profile& profile);
std::string to_markdown(const Profile& profile, const TableStyle& style = {});

}  // namespace strata
