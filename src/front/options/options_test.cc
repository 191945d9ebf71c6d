#include "options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace strata::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

// The sentence that a line gets, or what --help prints; empty if all is well.
std::string words_for(App& app, const std::string& line) {
  const auto parsed = app.parse(line);
  return parsed ? *parsed : parsed.error().message;
}

TEST(Options, OfEveryTypeReachTheirTargets) {
  App app;
  bool flag = false;
  std::string text = "before";
  int whole = 0;
  std::uint32_t depth = 0;
  std::int64_t large = 0;
  std::uint64_t seed = 0;
  double real = 0;
  std::optional<std::string> word;
  std::optional<double> scale;
  std::vector<std::string> names;
  std::vector<double> numbers;
  app.add_flag("--flag", flag);
  app.add_option("--text", text);
  app.add_option("--whole", whole);
  app.add_option("--depth", depth);
  app.add_option("--large", large);
  app.add_option("--seed", seed);
  app.add_option("--real", real);
  app.add_option("--word", word);
  app.add_option("--scale", scale);
  app.add_option("--names", names);
  app.add_option("--numbers", numbers);
  EXPECT_EQ(words_for(app, ""), "");
  EXPECT_EQ(text, "before");
  EXPECT_FALSE(word || scale);

  EXPECT_EQ(words_for(app,
                      "--flag --text 'two words' --whole -3 --depth 4 --large 1099511627776 "
                      "--seed 18446744073709551615 --real 2.5 --word w --scale 0.25 --names a "
                      "--names b --numbers 1 --numbers 2.5"),
            "");
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "two words");
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(depth, 4u);
  EXPECT_EQ(large, 1099511627776);
  EXPECT_EQ(seed, 18446744073709551615u);
  EXPECT_EQ(real, 2.5);
  EXPECT_EQ(word, "w");
  EXPECT_EQ(scale, 0.25);
  EXPECT_THAT(names, ElementsAre("a", "b"));
  EXPECT_THAT(numbers, ElementsAre(1, 2.5));
}

TEST(Options, AListStopsBeforeThePositionalArgument) {
  App app;
  std::vector<std::string> names;
  std::string model;
  app.add_option("--names", names);
  app.add_option("model", model)->required();
  EXPECT_EQ(words_for(app, "--names a model.onnx"), "");
  EXPECT_THAT(names, ElementsAre("a"));
  EXPECT_EQ(model, "model.onnx");
}

TEST(Options, WhatIsWrongIsSaid) {
  App app;
  int whole = 0;
  std::int64_t large = 0;
  double real = 0;
  std::string word, model;
  app.add_option("--whole", whole)->within(1, 8);
  app.add_option("--large", large)->within(std::int64_t{1}, std::int64_t{1} << 40);
  app.add_option("--real", real)->within(0.5, 2.0);
  app.add_option("--word", word)->one_of({"one", "two"});
  app.add_option("model", model)->required();
  EXPECT_EQ(words_for(app, "m --whole 8 --large 1 --real 2 --word two"), "");
  EXPECT_EQ(words_for(app, "m --whole 9"), "--whole: \"9\" is not a whole number from 1 to 8");
  EXPECT_EQ(words_for(app, "m --whole 1.5"), "--whole: \"1.5\" is not a whole number from 1 to 8");
  EXPECT_EQ(words_for(app, "m --large 0"), "--large: \"0\" is not a whole number of 1 or more");
  EXPECT_EQ(words_for(app, "m --real 3"), "--real: \"3\" is not a number from 0.5 to 2");
  EXPECT_EQ(words_for(app, "m --word three"), "--word: there is no \"three\"; it can be one, two");
  EXPECT_EQ(words_for(app, "m --word tow"),
            "--word: there is no \"tow\" (did you mean two?); it can be one, two");
  EXPECT_EQ(words_for(app, "--whole 1"), "model is required");
  EXPECT_EQ(words_for(app, "m --other"), "there is no option --other");
  EXPECT_EQ(words_for(app, "m --wrod=one"), "there is no option --wrod (did you mean --word?)");
  EXPECT_EQ(words_for(app, "m n"), "\"n\" is one argument too many");
  EXPECT_EQ(app.parse("m --other").error().kind, ErrorKind::Usage);
}

TEST(Options, HelpShowsThem) {
  App app("what it is", "program");
  bool flag = false, secret = false;
  std::string text;
  app.add_flag("--flag", flag, "a flag");
  app.add_flag("--secret", secret)->hide();
  app.add_option("-t,--text", text, "a text")->option_text("TEXT…")->description("some text");
  app.below_options([] { return "Examples:\n  program -t x\n"; });
  app.set_version_flag("-V,--version", "program 1.2");
  const std::string help = words_for(app, "--help");
  EXPECT_THAT(help, AllOf(HasSubstr("what it is"), HasSubstr("--flag"), HasSubstr("a flag"),
                          HasSubstr("-t, --text TEXT…"), HasSubstr("some text"),
                          HasSubstr("program -t x"), Not(HasSubstr("a text"))));
  EXPECT_THAT(help, Not(HasSubstr("secret")));
  EXPECT_EQ(words_for(app, "--version"), "program 1.2\n");
  EXPECT_EQ(words_for(app, "-V"), "program 1.2\n");
}

TEST(Options, MayBeFoundAndTakenAway) {
  App app;
  std::string model, labels;
  app.add_option("model", model)->required();
  app.add_option("--labels", labels);
  EXPECT_TRUE(app.has_option("--labels"));
  EXPECT_FALSE(app.has_option("--seed"));
  app.get_option("model")->required(false);
  app.remove_option("--labels");
  EXPECT_FALSE(app.has_option("--labels"));
  EXPECT_EQ(words_for(app, ""), "");
  EXPECT_THAT(words_for(app, "m --labels x"), Not(IsEmpty()));
}

TEST(Options, ThoseGivenAreCountedAndListed) {
  App app;
  bool flag = false;
  int top = 10, width = 0;
  std::vector<std::string> names;
  app.add_flag("--flag", flag);
  app.add_option("--top", top);
  app.add_option("--names", names);
  const Option* width_option = app.add_option("--width", width);
  EXPECT_EQ(words_for(app, "--names b --names a --top 3"), "");
  EXPECT_THAT(given_options(app),
              ElementsAre(Pair("--top", "3"), Pair("--names", "b"), Pair("--names", "a")));
  EXPECT_FALSE(width_option->given());
  EXPECT_EQ(words_for(app, "--width 80 --flag"), "");
  EXPECT_TRUE(width_option->given());
  EXPECT_THAT(given_options(app), ElementsAre(Pair("--flag", "true"), Pair("--width", "80")));
}

TEST(Options, WordsSayTheSameAsTheCommandLine) {
  App program;
  App* zoo = program.add_subcommand("zoo", "networks");
  App* table = zoo->add_subcommand("table", "their totals");
  std::vector<std::string> names, inputs;
  bool flag = false;
  table->add_option("names NAME", names);
  table->add_option("--input", inputs);
  table->add_flag("--flag", flag);
  const std::vector<std::string> wanted = {"zoo",           "table",       "a,b",   "c",
                                           "--input=x=1x3", "--input=y,z", "--flag"};
  EXPECT_EQ(words_for(program, "zoo table a,b --input x=1x3 --flag c --input y,z"), "");
  EXPECT_EQ(given_words(*table), wanted);
}

TEST(Options, QuantitiesHaveUnits) {
  App app;
  double seconds = 3;
  std::optional<double> share;
  app.add_quantity("--max-time", Quantity::TimeLimit, &seconds);
  app.add_quantity("-p,--passes", Quantity::Share, &share);
  EXPECT_EQ(words_for(app, ""), "");
  EXPECT_EQ(seconds, 3);
  EXPECT_FALSE(share);
  EXPECT_EQ(words_for(app, "--max-time 5min -p 10%"), "");
  EXPECT_EQ(seconds, 300);
  EXPECT_EQ(share, 0.1);
  EXPECT_EQ(words_for(app, "--max-time 2.5"), "");
  EXPECT_EQ(seconds, 2.5);
  EXPECT_EQ(words_for(app, "--passes 10"),
            "--passes: \"10\" is not a share: write a number with %, such as 1%");
  EXPECT_THAT(words_for(app, "--max-time 0s"), HasSubstr("--max-time: \"0s\" is not a time"));
}

TEST(Options, AnOldNameWorksAndIsSaid) {
  App program("", "program");
  App* app = program.add_subcommand("run", "");
  double seconds = 3;
  std::vector<std::string> inputs;
  Option* limit = app->add_quantity("--max-time", Quantity::TimeLimit, &seconds);
  Option* input = app->add_option("--input", inputs);
  app->old_name("--seconds", limit);
  app->old_name("--inputs", input);
  EXPECT_EQ(words_for(program, "run --max-time 1"), "");
  EXPECT_THAT(program.notices(), IsEmpty());
  EXPECT_EQ(words_for(program, "run --inputs a --seconds 7 --inputs b"), "");
  EXPECT_EQ(seconds, 7);
  EXPECT_THAT(inputs, ElementsAre("a", "b"));
  EXPECT_TRUE(limit->given());
  EXPECT_THAT(program.notices(),
              ElementsAre("--seconds is now --max-time; the old name will be removed in 0.4",
                          "--inputs is now --input; the old name will be removed in 0.4"));
  // The receipt has the names of today.
  EXPECT_THAT(given_options(*app),
              ElementsAre(Pair("--max-time", "7"), Pair("--input", "a"), Pair("--input", "b")));
  EXPECT_EQ(words_for(program, "run --seconds 7 --max-time 8"),
            "--seconds: this is the old name of --max-time; give one of the two");
  EXPECT_THAT(words_for(program, "run --help"), Not(HasSubstr("--seconds")));
  EXPECT_THAT(words_for(program, "run --seconds fast"), HasSubstr("\"fast\" is not a time"));
}

// Also where an option that was declared earlier is taken away.
TEST(Options, AnOldNameIsNotTakenForAnother) {
  App app;
  std::string labels, layout, other;
  app.add_option("--labels", labels);
  app.old_name("--layout", app.add_option("--image-layout", layout));
  app.add_option("--other", other);
  app.remove_option("--labels");
  EXPECT_EQ(words_for(app, "--layout nhwc --other x"), "");
  EXPECT_EQ(layout, "nhwc");
  EXPECT_THAT(app.notices(),
              ElementsAre("--layout is now --image-layout; the old name will be removed in 0.4"));
}

TEST(Options, TheValueOfAnOldNameMayDecideWhatItIsNow) {
  App app;
  std::optional<double> share, seconds;
  Option* passes = app.add_quantity("--passes", Quantity::Share, &share);
  Option* limit = app.add_quantity("--max-time", Quantity::TimeLimit, &seconds);
  app.old_name("--budget",
               [=](const std::string& value) { return value.ends_with('%') ? passes : limit; });
  EXPECT_EQ(words_for(app, "--budget 10%"), "");
  EXPECT_EQ(share, 0.1);
  EXPECT_FALSE(seconds);
  EXPECT_THAT(app.notices(),
              ElementsAre("--budget is now --passes; the old name will be removed in 0.4"));
  EXPECT_EQ(words_for(app, "--budget 5min"), "");
  EXPECT_EQ(seconds, 300);
  EXPECT_THAT(app.notices(),
              ElementsAre("--budget is now --max-time; the old name will be removed in 0.4"));
}

TEST(Options, AnOptionMayBeReplacedByTheWayAnotherIsWritten) {
  App app;
  std::vector<std::string> own;
  app.add_option("--engine-option", own)->replaced_by("--engine NAME:KEY=VALUE");
  EXPECT_EQ(words_for(app, "--engine-option a=1"), "");
  EXPECT_THAT(own, ElementsAre("a=1"));
  EXPECT_THAT(
      app.notices(),
      ElementsAre(
          "--engine-option is now --engine NAME:KEY=VALUE; the old name will be removed in 0.4"));
  EXPECT_THAT(given_options(app), ElementsAre(Pair("--engine-option", "a=1")));
  EXPECT_THAT(words_for(app, "--help"), Not(HasSubstr("--engine-option")));
}

// Only options that a command line may mean are declared to CLI11; each way to write one is found.
TEST(Options, AreFoundHoweverTheyAreWritten) {
  const auto given_by = [](const std::vector<const char*>& words) {
    App program("", "program");
    App* app = program.add_subcommand("run", "");
    std::string text, other = "none";
    double seconds = 0;
    bool flag = false, all = false;
    app->add_option("-t,--text", text);
    app->add_option("--text-other", other);
    app->add_flag("-f,--flag", flag);
    app->add_flag("-a,--all", all);
    app->old_name("--seconds", app->add_quantity("--max-time", Quantity::TimeLimit, &seconds));
    std::vector<const char*> line = {"program", "run"};
    line.insert(line.end(), words.begin(), words.end());
    const auto parsed = program.parse(static_cast<int>(line.size()), line.data());
    return parsed ? fmt::format("{} {} {} {} {}", text, other, seconds, flag, all)
                  : parsed.error().message;
  };
  EXPECT_EQ(given_by({"--text", "x"}), "x none 0 false false");
  EXPECT_EQ(given_by({"--text=x", "-f"}), "x none 0 true false");
  EXPECT_EQ(given_by({"-t", "x", "-fa"}), "x none 0 true true");
  EXPECT_EQ(given_by({"-atx"}), "x none 0 false true");
  EXPECT_EQ(given_by({"--text-other", "--text"}), " --text 0 false false");
  EXPECT_EQ(given_by({"--seconds", "2", "--text", "x"}), "x none 2 false false");
  EXPECT_EQ(given_by({"--tex", "x"}),
            "there is no option --tex (did you mean --text or --text-other?)");
  EXPECT_EQ(given_by({"--seconds"}), "--seconds: 1 required TEXT missing");
}

// Returns the complaint of check_effects() about a line that is understood; empty if every option
// has an effect.
std::string effects_of(App& app, const std::string& line) {
  EXPECT_EQ(words_for(app, line), "");
  const Status status = app.check_effects();
  if (status) return "";
  EXPECT_EQ(status.error().kind, ErrorKind::Usage);
  return status.error().message;
}

TEST(Options, WithoutAnEffectAreRefused) {
  App program("", "program");
  App* app = program.add_subcommand("run", "");
  bool time = false, memory = false;
  int runs = 0, width = 0;
  double seconds = 3;
  std::string format = "table";
  app->add_option("--runs", runs);
  Option* limit = app->add_quantity("--max-time", Quantity::TimeLimit, &seconds);
  app->need({"--runs", "--max-time"}, {"--time", "--memory"}, "nothing is run");
  app->exclude({"--max-time"}, "--runs", "--runs says when to stop");
  app->add_flag("--time", time);
  app->add_flag("--memory", memory);
  app->add_option("--format", format);
  app->add_option("--width", width)
      ->needs([&] { return format == "table"; }, "only a table has a width; take --format table");
  app->old_name("--seconds", limit);

  EXPECT_EQ(effects_of(program, "run"), "");
  EXPECT_EQ(effects_of(program, "run --time --runs 3"), "");
  EXPECT_EQ(effects_of(program, "run --memory --max-time 3"), "");
  EXPECT_EQ(effects_of(program, "run --runs 3"),
            "--runs has no effect: nothing is run; add --time or --memory");
  EXPECT_EQ(effects_of(program, "run --seconds 3"),
            "--max-time has no effect: nothing is run; add --time or --memory");
  EXPECT_EQ(effects_of(program, "run --time --runs 3 --max-time 4"),
            "--max-time has no effect: --runs says when to stop; leave out --max-time or --runs");
  EXPECT_EQ(effects_of(program, "run --width 80"), "");
  EXPECT_EQ(effects_of(program, "run --width 80 --format csv"),
            "--width has no effect: only a table has a width; take --format table");
}

// data/options/zoo_export.txt has the rows, and those of table.txt are shared.
TEST(Options, RowsOfFilesSayWhatTheyTake) {
  App program("", "strata");
  App* app = program.add_subcommand("zoo", "")->add_subcommand("export", "");
  std::string name, output, color;
  bool no_weights = false;
  std::uint64_t seed = 0;
  app->add({{"name", &name}, {"--seed", &seed}, {"--no-weights", &no_weights}});
  app->add("table", {{"--output", &output}, {"--color", &color}});
  EXPECT_EQ(words_for(program, "zoo export"), "name is required");
  EXPECT_EQ(effects_of(program, "zoo export net --seed 7 -o net.onnx --color always"), "");
  EXPECT_EQ(name + output + color, "netnet.onnxalways");
  EXPECT_EQ(seed, 7u);
  EXPECT_EQ(words_for(program, "zoo export net --color red"),
            "--color: there is no \"red\"; it can be auto, always, never");
  EXPECT_EQ(effects_of(program, "zoo export net --seed 7 --no-weights"),
            "--seed has no effect: no weights are written; leave out --seed or --no-weights");
  // The command's own row has another help than the shared one.
  EXPECT_THAT(words_for(program, "zoo export --help"),
              AllOf(HasSubstr("file to write (default NAME.onnx); - for stdout"),
                    Not(HasSubstr("write the table to a file"))));
  EXPECT_THROW(app->add({{"--colour", &color}}), std::logic_error);
}

TEST(Options, OneSubcommandIsChosen) {
  App program("", "program");
  program.require_subcommand();
  App* one = program.add_subcommand("one", "the first");
  App* two = program.add_subcommand("two", "the second");
  two->hide();
  int number = 0;
  two->add_option("--number", number);
  EXPECT_EQ(one->name(), "one");
  EXPECT_THAT(words_for(program, "--help"), AllOf(HasSubstr("first"), Not(HasSubstr("second"))));
  EXPECT_THAT(words_for(program, "two --help"), HasSubstr("--number"));
  EXPECT_THAT(words_for(program, ""), HasSubstr("subcommand"));
  const char* const words[] = {"program", "two", "--number", "7"};
  ASSERT_TRUE(program.parse(4, words));
  EXPECT_TRUE(two->parsed());
  EXPECT_FALSE(one->parsed());
  EXPECT_EQ(number, 7);
}

}  // namespace
}  // namespace strata::cli
