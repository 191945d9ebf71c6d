// Runs the program in a folder of the test's own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "../run_shell.h"

namespace strata {

class ProgramFolder : public testing::Test {
 protected:
  using Ran = ::strata::Ran;

  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("strata_folder_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ran strata(const std::string& arguments) const { return shell(STRATA_BINARY " " + arguments); }
  // Any line of /bin/sh, in the folder.
  Ran shell(const std::string& line) const {
    return run_shell("cd '" + folder_.string() + "' && (" + line + ")");
  }
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
};

}  // namespace strata
