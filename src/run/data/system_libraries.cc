// The build finds out what each library is called here (cmake/system_libraries.cmake).
#include "data/libjpeg.h"
#include "data/libpng.h"
#include "data/libzip.h"

namespace strata {

constinit SystemLibrary libjpeg(STRATA_LIBJPEG);
constinit SystemLibrary libpng(STRATA_LIBPNG);
constinit SystemLibrary libzip(STRATA_LIBZIP);

}  // namespace strata
