// fmt 9, compiled into the program (own_runtime.cmake) and the C interface (c.cmake): what its headers
// declare and its shared library would define, as fmt's own format.cc has it; Debian has no static
// library. It costs 2 s once, where fmt::fmt-header-only costs them in every file. Of other versions
// the shared library is used.
#include <locale>

#include <fmt/core.h>

#if FMT_VERSION >= 90000 && FMT_VERSION < 100000

#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                         locale_ref);

}  // namespace detail
}  // namespace v9
}  // namespace fmt

#endif
