// A small program with an option of each kind, for tests.
#pragma once

#include "manual/facts.h"

namespace strata::manual {

inline CommandFacts test_program() {
  CommandFacts run{.name = "tool run", .about = "run a file"};
  run.options = {
      {.name = "file",
       .value = "FILE",
       .help = "what to run",
       .group = "Arguments",
       .positional = true,
       .required = true},
      {.name = "words",
       .value = "WORD…",
       .help = "what it is told",
       .group = "Arguments",
       .words = {"zoo:apple", "zoo:pear"},
       .positional = true,
       .repeatable = true},
      {.name = "--fast", .help = "at once", .group = "Options"},
      {.name = "--output",
       .short_name = "-o",
       .value = "FILE",
       .help = "where it goes",
       .group = "Output"},
      {.name = "--kind",
       .value = "KIND",
       .help = "one of two: a or b, and this explanation is so long that it takes two lines",
       .group = "Output",
       .words = {"a", "b"}},
  };
  run.notes = "Examples:\n  tool run a.txt\n";
  const CommandFacts list{.name = "tool list", .about = "what there is"};
  CommandFacts tool{.name = "tool", .about = "does one thing"};
  tool.options = {
      {.name = "--help", .short_name = "-h", .help = "show this help", .group = "Options"}};
  tool.parts = {run, list};
  return tool;
}

}  // namespace strata::manual
