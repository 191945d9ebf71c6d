// A table as an Arrow C stream.
#pragma once

#include "strata/c.h"
#include "strata/document/table.h"

namespace strata::c {

// All rows of the table as one batch, which refers to nothing of it. May throw std::bad_alloc.
void make_stream(const Table& table, ArrowArrayStream& stream);

}  // namespace strata::c
