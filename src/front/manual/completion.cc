#include "manual/completion.h"

namespace strata::manual {

const std::vector<Shell>& shells() {
  static const std::vector<Shell> kShells = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  return kShells;
}

}  // namespace strata::manual
