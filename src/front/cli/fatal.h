// Ends the program where no function can return an error: a mapped file that has become shorter,
// and memory that runs out where nothing may be thrown.
#pragma once

namespace strata::cli {

// From now on, these end the program with a sentence and exit code 1.
void install_fatal_handlers();

}  // namespace strata::cli
