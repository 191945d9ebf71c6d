// The current speed of the processor itself.
//
// Another virtual machine on the same core takes half of its execution units, and no counter
// of this machine shows it: neither waiting nor steal. A loop of known work that keeps those units
// busy does show it. It runs right before and right after each measured run.
#pragma once

#include <span>

namespace strata {

// Runs the loop (about 40 µs) and returns how long it took: the better of its two halves, because a
// switch to another process hits only one of them.
double pace_test_seconds();

// The results of the pace tests around runs. There is one test per run: the slower of the test
// before it and the test after it.
struct Pace {
  double best = 0;     // seconds the test takes when nothing disturbs it; 0: not known
  double slowed = -1;  // how much slower the tests were than that on average: 0.1 is 10 %; -1: not
                       // known
};
Pace pace_of(std::span<const double> tests);

// Runs whose test took no longer than this count as undisturbed: those within 3 % of the best pace,
// but at least six runs and a tenth of all. Infinite if nothing is known.
double slowest_test_that_counts(std::span<const double> tests, const Pace& pace);

// The share of a disturbance that the tests before and after a run miss because it began and ended
// within the run. Neighbours come and go within some tens of milliseconds.
double unseen_part(double run_seconds);

}  // namespace strata
