// A text file of command lines and what each must print.
//
//   # Any text before a command is for the reader.
//   $ strata ops Foo
//   expected output
//   [stderr]
//   expected errors
//   [exit 2]
//
// In a file of cases every command ends with its exit code. A page of Markdown
// has a case for each command in a ```console block that begins with `$ strata`;
// there, output and errors appear as on a terminal, and the exit code is not shown. A line that is
// only `…` stands for any number of lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata_cli_test {

struct Case {
  std::size_t line = 0;               // line of the command, from 0
  bool complete = true;               // has its exit code
  std::string command;                // as after `$ `
  std::vector<std::string> expected;  // lines
};

struct CaseFile {
  std::vector<std::string> lines;
  std::vector<Case> cases;
  bool markdown = false;
};

CaseFile read_case_file(const std::string& path);

struct Printed {
  std::string output, errors;
  int exit_code = 0;
};

// Returns the printed lines in the form of the file.
std::vector<std::string> lines_of(const Printed& printed, bool markdown);

// True if the lines are as expected; `…` alone stands for any number of lines.
bool matches(const std::vector<std::string>& expected, const std::vector<std::string>& lines);

// `lines` with the `…` of `expected` carried over: the same number of lines stays before it and
// after it. Several `…` cannot be carried over; then all lines are kept.
std::vector<std::string> elided_like(const std::vector<std::string>& expected,
                                     const std::vector<std::string>& lines);

// Replaces the expected lines of each case.
void write_case_file(const std::string& path, const CaseFile& file,
                     const std::vector<std::vector<std::string>>& expected);

}  // namespace strata_cli_test
