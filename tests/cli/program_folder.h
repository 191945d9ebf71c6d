// Runs the program in a folder of the test's own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace strata {

class ProgramFolder : public testing::Test {
 protected:
  struct Ran {
    int code = -1;
    std::string text;  // stdout and stderr
  };

  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("strata_folder_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ran strata(const std::string& arguments) const { return shell(STRATA_BINARY " " + arguments); }
  // Any line of /bin/sh, in the folder.
  Ran shell(const std::string& line) const {
    const std::string command = "cd '" + folder_.string() + "' && (" + line + ") 2>&1";
    Ran ran;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) ran.text += buffer.data();
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
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
