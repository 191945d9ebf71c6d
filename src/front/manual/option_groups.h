// Facts that follow from an option's name alone, since a name has one meaning in all commands: the
// heading that it stands below, and the words that it takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manual/facts.h"

namespace strata::manual {

// True for options that the short help shows.
bool is_common(std::string_view option);
// "Model"; "Options" if the option belongs to no group that commands share.
std::string_view group_of(std::string_view option);

// Names that can be given to an option that takes others, too, as a list or a file; empty: unknown.
// `command` is that of CommandFacts::name.
std::vector<std::string> words_of(std::string_view command, std::string_view option);

// The columns of a profile, the conventions and the energy models, for the help of a command that
// takes all of them.
std::string name_lists();

// Arguments first, then what the command alone has, then the groups in their usual order.
void sort_by_group(std::vector<OptionFacts>& options);

}  // namespace strata::manual
