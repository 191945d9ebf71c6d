#include "strata/profile/options.h"

#include <utility>

namespace strata {

namespace {

constexpr std::pair<std::string_view, ReportKind> kKinds[] = {
    {"tape", ReportKind::Tape}, {"node", ReportKind::Node},  {"leaves", ReportKind::Leaves},
    {"tree", ReportKind::Tree}, {"root", ReportKind::Root},  {"type", ReportKind::Type},
    {"none", ReportKind::None}, {"calls", ReportKind::Tape},  // the first name is the one written
};

}  // namespace

std::optional<ReportKind> report_kind_from_name(std::string_view word) {
  for (const auto& [text, kind] : kKinds)
    if (text == word) return kind;
  return std::nullopt;
}

std::string_view name_of(ReportKind kind) {
  for (const auto& [text, known] : kKinds)
    if (known == kind) return text;
  return "?";
}

}  // namespace strata
