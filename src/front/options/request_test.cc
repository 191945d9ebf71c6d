#include "options/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/options.h"

namespace strata::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string problem(std::string_view text) {
  const auto read = request_from_json(text);
  return read ? "" : read.error().message;
}

TEST(Request, IsACommandAndItsOptions) {
  const auto request = request_from_json(
      R"({"command": "zoo table", "options": {"model": "a b", "--top": 3, "--share": 0.25,
          "--fuse": true, "--none": null, "--dim": {"N": 1, "T": [1, 2]}, "--on": ["x", 7]}})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->command, "zoo table");
  ASSERT_EQ(request->options.size(), 6u);
  EXPECT_THAT(request->options[0].values, ElementsAre("a b"));
  EXPECT_THAT(request->options[1].values, ElementsAre("3"));
  EXPECT_THAT(request->options[2].values, ElementsAre("0.25"));
  EXPECT_EQ(request->options[3].on, true);
  EXPECT_THAT(request->options[4].values, ElementsAre("N=1", "T=1,2"));
  EXPECT_THAT(request->options[5].values, ElementsAre("x", "7"));
}

TEST(Request, WhatIsNoneIsSaid) {
  EXPECT_EQ(problem("stat m.onnx"), "the request: it is not JSON");
  EXPECT_EQ(problem("[]"), "the request: it is not an object");
  EXPECT_EQ(problem("{}"), "the request: it has no \"command\"");
  EXPECT_EQ(problem(R"({"command": ["stat"]})"), "the request: its \"command\" is not text");
  EXPECT_EQ(problem(R"({"command": "stat", "options": []})"),
            "the request: its \"options\" are not an object");
  EXPECT_EQ(problem(R"({"command": "stat", "option": {}})"),
            "the request: \"option\" is neither \"command\" nor \"options\"");
  EXPECT_EQ(problem(R"({"command": "stat", "options": {"--dim": [{"N": 1}]}})"),
            "--dim: it takes texts, numbers, lists and objects of them");
  EXPECT_EQ(request_from_json("{").error().code, Code::RequestBroken);
}

struct Program {
  App app{"", "program"};
  App* zoo = app.add_subcommand("zoo", "");
  App* table = zoo->add_subcommand("table", "");
  std::string model, columns;
  std::vector<std::string> names;
  std::uint32_t top = 10;
  double seconds = 3;
  bool fuse = false;

  Program() {
    table->add_option("model MODEL", model)->required();
    table->add_option("--model NAME", columns);  // another option than the argument
    table->add_option("--columns LIST", columns);
    table->add_option("--name NAME", names);
    table->add_option("--top N", top)->within(1, 8);
    table->old_name("--seconds", table->add_quantity("--max-time", Quantity::TimeLimit, &seconds));
    table->add_flag("--fuse", fuse);
    zoo->add_subcommand("worker", "")->hide();
  }
  // The mistake; empty if there is none.
  std::string parse(const std::string& options, const std::string& command = "zoo table") {
    const auto request =
        request_from_json("{\"command\": \"" + command + "\", \"options\": " + options + "}");
    if (!request) return request.error().message;
    const auto parsed = app.parse(*request);
    return parsed ? "" : parsed.error().message;
  }
};

TEST(Request, GivesOptionsTheirValues) {
  Program p;
  EXPECT_EQ(p.parse(R"({"model": "-x y", "--columns": ["a", "b"], "--name": ["n,m", "o"],
                        "--top": 8, "--seconds": "2min", "--fuse": true})"),
            "");
  EXPECT_EQ(p.model, "-x y") << "no word of it is taken for an option";
  EXPECT_EQ(p.columns, "a,b");
  EXPECT_THAT(p.names, ElementsAre("n,m", "o"));
  EXPECT_EQ(p.top, 8u);
  EXPECT_EQ(p.seconds, 120);
  EXPECT_TRUE(p.fuse);
  EXPECT_TRUE(p.table->parsed());
  EXPECT_THAT(command_of(*p.table), ElementsAre("zoo", "table"));
  EXPECT_THAT(given_options(*p.table),
              ElementsAre(Pair("model", "-x y"), Pair("--columns", "a,b"), Pair("--name", "n,m"),
                          Pair("--name", "o"), Pair("--top", "8"), Pair("--max-time", "2min"),
                          Pair("--fuse", "true")));
  EXPECT_EQ(p.app.notices().size(), 1u);
}

// A document's recorded options make the same request again.
TEST(Request, IsWhatDocumentsRecord) {
  Program first, again;
  ASSERT_EQ(first.parse(R"({"model": "m", "--name": ["n,m", "o"], "--fuse": true})"), "");
  const auto parsed =
      again.app.parse(recorded_request(command_of(*first.table), given_options(*first.table)));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(given_options(*again.table), given_options(*first.table));
  EXPECT_EQ(given_words(*again.table),
            (std::vector<std::string>{"zoo", "table", "m", "--name=n,m", "--name=o", "--fuse"}));
}

TEST(Request, WithWrongOptionsIsRefused) {
  EXPECT_EQ(Program().parse("{}"), "model is required");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--tpo": 3})"),
            "there is no option --tpo (did you mean --top?)");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--help": true})"), "there is no option --help");
  EXPECT_EQ(Program().parse(R"({"model": "m", "-o": "x"})"), "there is no option -o");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--fuse": 1})"), "--fuse: it is true or false");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--top": true})"), "--top: it needs a value");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--top": 9})"),
            "--top: \"9\" is not a whole number from 1 to 8");
  EXPECT_EQ(Program().parse(R"({"model": "m", "--top": [1, 2]})"),
            "--top: \"1,2\" is not a whole number from 1 to 8");
  EXPECT_EQ(Program().parse("{}", "zoo tabel"), "there is no command \"zoo tabel\"");
  EXPECT_EQ(Program().parse("{}", "zoo worker"), "there is no command \"zoo worker\"");
  // Values that are false or null are left out.
  Program p;
  EXPECT_EQ(p.parse(R"({"model": "m", "--fuse": false, "--top": null, "--name": []})"), "");
  EXPECT_FALSE(p.fuse);
  EXPECT_THAT(given_options(*p.table), ElementsAre(Pair("model", "m")));
}

}  // namespace
}  // namespace strata::cli
