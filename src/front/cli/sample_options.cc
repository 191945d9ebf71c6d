#include "cli/sample_options.h"

#include "options/options.h"

namespace strata::cli {

void RangeChoiceOptions::add_to(App& app, bool percentile_alone) {
  app.add("ranges", {{"--method", &method_}, {"--percentile", &percentile_}});
  percentile_option_ =
      app.get_option("--percentile")
          ->needs(
              [this, percentile_alone] {
                return method_ == "percentile" || (percentile_alone && method_.empty());
              },
              "another method chooses the ranges; add --method percentile");
}

std::optional<RangeOptions> RangeChoiceOptions::choice() const {
  if (method_.empty() && !percentile_option_->given()) return std::nullopt;
  RangeOptions out;
  out.choice = method_.empty() ? RangeChoice::Percentile : *range_choice_from_name(method_);
  out.percentile = percentile_;
  return out;
}

}  // namespace strata::cli
