#include "task/job_message.h"

#include "calibrate/sketch_state.h"

namespace strata {

namespace {

enum class ExprKind : std::uint8_t { Number, Formula, Unknown, Overflow };

ExprKind kind_of(const Expr& expr) {
  if (expr.is_number()) return ExprKind::Number;
  if (expr.is_formula()) return ExprKind::Formula;
  return expr.is_overflow() ? ExprKind::Overflow : ExprKind::Unknown;
}

}  // namespace

void put_in(MessageWriter& out, const Expr& expr) {
  const ExprKind kind = kind_of(expr);
  out.put(kind);
  if (kind == ExprKind::Number) out.put(expr.value());
  if (kind != ExprKind::Formula) return;
  out.put(expr.text());
  out.put(expr.symbols());
}

void take_from(MessageReader& in, Expr& expr) {
  switch (in.taken<ExprKind>()) {
    case ExprKind::Number:
      expr = in.taken<std::int64_t>();
      return;
    case ExprKind::Unknown:
      expr = Expr::unknown();
      return;
    case ExprKind::Overflow:
      expr = Expr::overflow();
      return;
    case ExprKind::Formula:
      break;
  }
  const auto text = in.taken<std::string>();
  const auto symbols = in.taken<std::vector<std::string>>();
  const auto read = expr_from_text(text, symbols);
  if (read)
    expr = *read;
  else
    in.refuse();
}

void put_in(MessageWriter& out, const Scalar& scalar) {
  out.put(scalar.is_real());
  if (scalar.is_real())
    out.put(*scalar.number());
  else
    out.put(scalar.whole());
}

void take_from(MessageReader& in, Scalar& scalar) {
  if (in.taken<bool>())
    scalar = Scalar::real(in.taken<double>());
  else
    scalar = Scalar(in.taken<Expr>());
}

void put_in(MessageWriter& out, const TypeInfo& type) {
  out.put(type.kind);
  out.put(type.dtype);
  out.put(type.ranked);
  out.put(type.dims);
  out.put(type.items);
}

void take_from(MessageReader& in, TypeInfo& type) {
  in.take(type.kind);
  in.take(type.dtype);
  in.take(type.ranked);
  in.take(type.dims);
  in.take(type.items);
}

void put_in(MessageWriter& out, const Sketch& sketch) {
  const SketchParts& parts = sketch.parts();
  out.put(parts.zeros);
  out.put(parts.nans);
  out.put(parts.positive_infinities);
  out.put(parts.negative_infinities);
  out.put(parts.min);
  out.put(parts.max);
  out.put(parts.channel_min);
  out.put(parts.channel_max);
  std::vector<std::uint32_t> positions;
  std::vector<std::uint64_t> counts;
  parts.counters.for_each([&](std::uint32_t position, std::uint64_t count) {
    positions.push_back(position);
    counts.push_back(count);
  });
  out.put(positions);
  out.put(counts);
}

void take_from(MessageReader& in, Sketch& sketch) {
  SketchParts parts;
  in.take(parts.zeros);
  in.take(parts.nans);
  in.take(parts.positive_infinities);
  in.take(parts.negative_infinities);
  in.take(parts.min);
  in.take(parts.max);
  in.take(parts.channel_min);
  in.take(parts.channel_max);
  const auto positions = in.taken<std::vector<std::uint32_t>>();
  const auto counts = in.taken<std::vector<std::uint64_t>>();
  constexpr std::uint32_t kPositions = PagedCounters::kPages * PagedCounters::kPageSize;
  if (positions.size() != counts.size()) in.refuse();
  for (std::size_t i = 0; i < positions.size() && in.good(); ++i) {
    if (positions[i] >= kPositions)
      in.refuse();
    else
      parts.counters.add(positions[i], counts[i]);
  }
  auto whole = in.good() ? Sketch::from_parts(std::move(parts)) : Result<Sketch>(Sketch());
  if (whole)
    sketch = std::move(*whole);
  else
    in.refuse();
}

void put_in(MessageWriter& out, const Source& source) { out.put(source.word()); }
void take_from(MessageReader& in, Source& source) { source = in.taken<std::string>(); }

}  // namespace strata
