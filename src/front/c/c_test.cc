#include "strata/c.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/own_version.h"
#include "bench/own_program.h"

namespace {

using nlohmann::json;
using strata::own_program;
using strata::set_own_program;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Free {
  void operator()(strata_document* document) const { strata_document_free(document); }
};

struct Ran {
  int code = -1;
  std::unique_ptr<strata_document, Free> document;

  strata_document* get() const { return document.get(); }
  std::string error() const { return strata_document_error(get()); }
  std::string text() const {
    const char* text = strata_document_text(get(), nullptr);
    return text == nullptr ? "" : text;
  }
  json parsed() const {
    std::size_t size = 0;
    const char* text = strata_document_json(get(), &size);
    return text == nullptr ? json() : json::parse(std::string(text, size));
  }
};

Ran run(const std::vector<const char*>& words, const std::vector<strata_file>& files = {}) {
  strata_call call = {};
  call.size = sizeof call;
  call.words = words.data();
  call.word_count = words.size();
  call.files = files.data();
  call.file_count = files.size();
  Ran ran;
  strata_document* document = nullptr;
  ran.code = strata_run(&call, &document);
  ran.document.reset(document);
  return ran;
}

// y = x·W + b for x of 2×3 and W of 3×5: 2·3·5 = 30 MACs, 3·5 + 5 = 20 parameters.
constexpr std::string_view kLinear =
    R"({"strata_recording":1,"source":"torch 2.13.0","name":"Net",
 "modules":[["","Net",-1,0],["fc","Linear",0,0]],
 "tensors":[["float32",[5,3],null,0,0],["float32",[5],null,1,0],["float32",[2,3],null,2,0],
            ["float32",[2,5],null,3,0]],
 "parameters":[[0,"fc.weight","fc",true],[1,"fc.bias","fc",true]],
 "inputs":[[2,"x"]],"outputs":[[3,"y"]],
 "calls":[["aten.linear.default",[{"t":2},{"t":0},{"t":1}],{},[3],1,0]]})";

strata_file file(const char* name, std::string_view bytes) {
  return {name, bytes.data(), bytes.size()};
}

std::string model_bytes() {
  std::ifstream in(STRATA_SOURCE_DIR "/tests/models/mobilenet_v2.onnx", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CInterface, SaysItsVersion) {
  EXPECT_EQ(strata_abi(), STRATA_C_ABI);
  EXPECT_STREQ(strata_version(), strata::own_version());
}

TEST(CInterface, ACommandGivesItsDocument) {
  const Ran ran = run({"stat", "memory:net", "--format", "json"}, {file("net", kLinear)});
  ASSERT_EQ(ran.code, STRATA_CODE_FINE) << ran.error();
  EXPECT_STREQ(strata_document_kind(ran.get()), "profile");
  EXPECT_EQ(ran.error(), "");
  const json document = ran.parsed();
  const json& row = document["tables"]["layers"]["rows"][0];
  EXPECT_EQ(row["layer"], "fc");
  EXPECT_EQ(row["type"], "Linear");
  EXPECT_EQ(row["macs"], 30);
  EXPECT_EQ(row["params"], 20);
  EXPECT_EQ(json::parse(ran.text()), document) << "--format json prints the same";
  EXPECT_EQ(document["facts"]["model"]["path"], "net") << "as the caller named it";
}

TEST(CInterface, AnErrorHasACodeFieldsAndTheCallersWords) {
  const Ran program = run({"stat", "memory:net", "--columns", "time"}, {file("net", kLinear)});
  EXPECT_EQ(program.code, STRATA_CODE_USAGE);
  EXPECT_EQ(program.error(), "column \"time\" needs --time");
  const char* words[] = {"stat", "memory:net", "--columns", "time"};
  const strata_file net = file("net", kLinear);
  strata_call call = {};
  call.size = sizeof call;
  call.words = words;
  call.word_count = std::size(words);
  call.files = &net;
  call.file_count = 1;
  call.caller = "python";
  strata_document* document = nullptr;
  EXPECT_EQ(strata_run(&call, &document), STRATA_CODE_USAGE);
  EXPECT_STREQ(strata_document_error(document), "column \"time\" needs timing=True");
  EXPECT_STREQ(strata_document_error_code(document), "column_needs");
  EXPECT_STREQ(strata_document_error_field(document, "name"), "time");
  EXPECT_STREQ(strata_document_error_field(document, "wanted"), "time");
  EXPECT_STREQ(strata_document_error_field(document, "message"), "column \"time\" needs time");
  EXPECT_STREQ(strata_document_error_field(document, "file"), "");
  EXPECT_STREQ(strata_document_error_field(document, "nothing"), "");
  strata_document_free(document);
  // Callers whose header had no `caller` get the program's words.
  call.size = offsetof(strata_call, caller);
  EXPECT_EQ(strata_run(&call, &document), STRATA_CODE_USAGE);
  EXPECT_STREQ(strata_document_error(document), "column \"time\" needs --time");
  strata_document_free(document);
}

Ran request(const char* json, const std::vector<strata_file>& files = {}) {
  strata_call call = {};
  call.size = sizeof call;
  call.files = files.data();
  call.file_count = files.size();
  call.request = json;
  Ran ran;
  strata_document* document = nullptr;
  ran.code = strata_run(&call, &document);
  ran.document.reset(document);
  return ran;
}

TEST(CInterface, ARequestSaysTheSameAsWords) {
  const std::vector<strata_file> files = {file("--net, 1=", kLinear)};
  const Ran asked = request(R"({"command": "stat", "options": {"model": "memory:--net, 1=",
      "--columns": ["layer", "macs"], "--report": "calls", "--exact": true}})",
                            files);
  ASSERT_EQ(asked.code, STRATA_CODE_FINE) << asked.error();
  const Ran typed =
      run({"stat", "--columns=layer,macs", "--report=calls", "--exact", "--", "memory:--net, 1="},
          files);
  EXPECT_EQ(asked.text(), typed.text()) << typed.error();
  EXPECT_EQ(asked.parsed()["tables"]["layers"]["rows"][0]["macs"], 30);
  // Both ways at once are a mistake.
  const char* word = "zoo";
  strata_call both = {};
  both.size = sizeof both;
  both.words = &word;
  both.word_count = 1;
  both.request = "{}";
  strata_document* document = nullptr;
  EXPECT_EQ(strata_run(&both, &document), STRATA_CODE_USAGE);
  strata_document_free(document);
}

TEST(CInterface, AWrongRequestHasACode) {
  const auto code = [](const Ran& ran) {
    return std::string(strata_document_error_code(ran.get()));
  };
  const Ran broken = request("stat memory:net");
  EXPECT_EQ(broken.code, STRATA_CODE_USAGE);
  EXPECT_EQ(code(broken), "request_broken");
  const Ran misspelt = request(R"({"command": "stat", "options": {"model": "m", "--tpo": 3}})");
  EXPECT_EQ(misspelt.code, STRATA_CODE_USAGE);
  EXPECT_EQ(code(misspelt), "no_option");
  EXPECT_STREQ(strata_document_error_field(misspelt.get(), "name"), "--tpo");
  EXPECT_EQ(code(request(R"({"command": "stta"})")), "no_command");
  EXPECT_EQ(code(request(R"({"command": "worker"})")), "no_command");
  EXPECT_EQ(code(request(R"({"command": "zoo", "options": {"--top": "x"}})")), "option_value");
}

TEST(CInterface, OptionsOfARenderingMayBeJson) {
  const Ran ran = run({"stat", "memory:net"}, {file("net", kLinear)});
  const auto rendered = [&](const std::vector<const char*>& options) {
    const char* text = nullptr;
    const int code =
        strata_render(ran.get(), "table", options.data(), options.size(), &text, nullptr);
    return code == STRATA_CODE_FINE ? std::string(text) : ran.error();
  };
  const std::string exact = rendered({"--width", "60", "--exact"});
  EXPECT_EQ(rendered({R"({"--width": 60, "--exact": true})"}), exact);
  EXPECT_NE(rendered({R"({"--width": 60, "--exact": false})"}), exact);
  EXPECT_EQ(rendered({R"({"--width": true})"}), "--width: it needs a value");
  EXPECT_EQ(rendered({R"({"--exact": "yes"})"}), "--exact: it is true or false");
  EXPECT_THAT(rendered({R"({"--hight": 3})"}), HasSubstr("there is no option \"--hight\""));
  EXPECT_EQ(rendered({"{"}), "the request: it is not JSON");
}

TEST(CInterface, WithoutAnErrorThereIsNoCode) {
  const Ran ran = run({"stat", "memory:net"}, {file("net", kLinear)});
  EXPECT_STREQ(strata_document_error_code(ran.get()), "");
  EXPECT_STREQ(strata_document_error_field(ran.get(), "message"), "");
  EXPECT_STREQ(strata_document_error_code(nullptr), "");
}

TEST(CInterface, TextIsWhatTheProgramPrints) {
  const Ran ran = run({"stat", "memory:net"}, {file("net", kLinear)});
  ASSERT_EQ(ran.code, STRATA_CODE_FINE) << ran.error();
  EXPECT_THAT(ran.text(), HasSubstr("fc"));
  EXPECT_THAT(run({"--version"}).text(),
              StartsWith(std::string("strata ") + strata::own_version()));
  EXPECT_THAT(run({"stat", "--help"}).text(), HasSubstr("--batch"));
}

TEST(CInterface, FilesInMemoryAreCalledByTheirNames) {
  for (const char* report : {"tape", "tree", "root"}) {
    const Ran ran = run({"stat", "memory:net", "--report", report}, {file("net", kLinear)});
    EXPECT_THAT(ran.text(), Not(HasSubstr("memory:"))) << report;
  }
  const Ran wrong = run({"stat", "memory:net", "--dim", "N=3"}, {file("net", kLinear)});
  EXPECT_NE(wrong.code, STRATA_CODE_FINE);
  EXPECT_THAT(wrong.error(), Not(HasSubstr("memory:")));
  EXPECT_THAT(run({"stat", "memory:e"}, {file("e", "no model")}).error(), StartsWith("e is "));
}

TEST(CInterface, ModelsInMemoryAreReadLikeFiles) {
  const std::string bytes = model_bytes();
  ASSERT_FALSE(bytes.empty());
  const Ran given = run({"stat", "memory:a", "--format", "json"}, {file("a", bytes)});
  const Ran read =
      run({"stat", STRATA_SOURCE_DIR "/tests/models/mobilenet_v2.onnx", "--format", "json"});
  ASSERT_EQ(given.code, STRATA_CODE_FINE) << given.error();
  EXPECT_EQ(given.parsed()["tables"], read.parsed()["tables"]);
  const Ran both = run({"diff", "memory:a", "memory:b"}, {file("a", bytes), file("b", bytes)});
  EXPECT_EQ(both.code, STRATA_CODE_FINE) << both.error();
  // Words that print for people leave the numbers to be asked for.
  const Ran all =
      run({"diff", "memory:a", "memory:b", "--all"}, {file("a", bytes), file("b", bytes)});
  ASSERT_EQ(all.code, STRATA_CODE_FINE) << all.error();
  const auto first = all.parsed()["tables"]["layers"]["rows"].at(0);
  EXPECT_EQ(first.at("layer"), "features.0.0");
  EXPECT_EQ(first.at("macs_before"), 112 * 112 * 32 * 3 * 9);
  EXPECT_EQ(first.at("macs_after"), 112 * 112 * 32 * 3 * 9);
}

TEST(CInterface, MistakesAreSentences) {
  const Ran unknown = run({"stat", "memory:other"}, {file("net", kLinear)});
  EXPECT_EQ(unknown.code, STRATA_CODE_FAILED);
  EXPECT_EQ(unknown.error(), "other: no file of this name was given");
  EXPECT_EQ(strata_document_json(unknown.get(), nullptr), nullptr);
  EXPECT_EQ(run({"stat"}).code, STRATA_CODE_USAGE);
  EXPECT_THAT(run({"sta"}).error(), HasSubstr("there is no command \"sta\""));
  EXPECT_EQ(run({}).code, STRATA_CODE_USAGE);
  EXPECT_THAT(run({"stat", "-"}).error(), HasSubstr("standard input is not read"));
  EXPECT_EQ(run({"stat", nullptr}).code, STRATA_CODE_USAGE);
  EXPECT_EQ(run({"stat", "memory:e"}, {file("e", "")}).code, STRATA_CODE_FAILED);
  EXPECT_EQ(run({"stat", "memory:e"}, {{"e", nullptr, 3}}).code, STRATA_CODE_USAGE);
  EXPECT_EQ(strata_run(nullptr, nullptr), STRATA_CODE_USAGE);
  strata_call call = {};
  strata_document* document = nullptr;
  EXPECT_EQ(strata_run(&call, &document), STRATA_CODE_USAGE) << "a call without a size";
  strata_document_free(document);
  strata_document_free(nullptr);
  EXPECT_STREQ(strata_document_error(nullptr), "out of memory");
}

TEST(CInterface, CommandsThatNeedTheProgramSaySo) {
  run({"stat", "memory:net"}, {file("net", kLinear)});  // looks for the program
  const auto found = own_program();
  set_own_program("");
  const std::string plan = testing::TempDir() + "strata_c_plan.toml";
  std::ofstream(plan) << "models = [\"zoo:lenet\"]\n";
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"bench", "zoo:alexnet", "--engine", "fake"},
                                             {"stat", "zoo:alexnet", "--time", "--engine", "fake"},
                                             {"sweep", plan.c_str()}}) {
    const Ran refused = run(words);
    EXPECT_NE(refused.code, STRATA_CODE_FINE) << words[0];
    EXPECT_THAT(refused.error(), HasSubstr("processes of the program strata, which is not beside"))
        << words[0];
  }
  set_own_program(found ? *found : "");
}

TEST(CInterface, AnyFormatCanBeAskedFor) {
  const Ran ran = run({"stat", "memory:net", "--format", "json"}, {file("net", kLinear)});
  const char* text = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(strata_render(ran.get(), "csv", nullptr, 0, &text, &size), STRATA_CODE_FINE);
  EXPECT_THAT(std::string(text, size), HasSubstr("fc,Linear"));
  const char* narrow[] = {"--width", "60", "--exact", "--color", "never"};
  ASSERT_EQ(strata_render(ran.get(), "table", narrow, 5, &text, &size), STRATA_CODE_FINE);
  ASSERT_EQ(strata_render(ran.get(), "html", nullptr, 0, &text, &size), STRATA_CODE_FINE);
  EXPECT_THAT(std::string(text, size), HasSubstr("<html"));
  EXPECT_EQ(strata_render(ran.get(), "wasm", nullptr, 0, &text, &size), STRATA_CODE_USAGE);
  EXPECT_EQ(text, nullptr);
  const char* wrong[] = {"--width", "x"};
  EXPECT_EQ(strata_render(ran.get(), "table", wrong, 2, &text, &size), STRATA_CODE_USAGE);
  EXPECT_EQ(strata_render(ran.get(), "table", wrong, 1, &text, &size), STRATA_CODE_USAGE);
}

TEST(CInterface, DocumentsComeBackFromJson) {
  for (const std::vector<const char*>& words :
       {std::vector<const char*>{"stat", "memory:net", "--format", "json"},
        std::vector<const char*>{"payload", "memory:net", "--format", "json"},
        std::vector<const char*>{"ops", "--format", "json"}}) {
    const Ran ran = run(words, {file("net", kLinear)});
    ASSERT_EQ(ran.code, STRATA_CODE_FINE) << words[0] << ": " << ran.error();
    const std::string text = ran.text();
    Ran again;
    strata_document* document = nullptr;
    again.code = strata_read(text.data(), text.size(), &document);
    again.document.reset(document);
    ASSERT_EQ(again.code, STRATA_CODE_FINE) << words[0] << ": " << again.error();
    const json before = ran.parsed(), after = again.parsed();
    EXPECT_EQ(after["kind"], before["kind"]);
    for (const auto& [name, table] : before["tables"].items())
      EXPECT_EQ(after["tables"][name]["rows"], table["rows"]) << words[0] << " " << name;
  }
  strata_document* document = nullptr;
  EXPECT_EQ(strata_read("{", 1, &document), STRATA_CODE_FAILED);
  EXPECT_THAT(strata_document_error(document), HasSubstr("is not JSON"));
  strata_document_free(document);
}

// The layer of kLinear in a step of training: its weight's gradient has 2·3·5 MACs, too, in a
// product of the gradient, turned round by a view, with the input. An optimizer of momentum and
// rate: two products and a sum for each of 15 weights, in two calls.
TEST(CInterface, AStepOfTrainingHasPhases) {
  std::string text(kLinear);
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(
      "[\"float32\",[2,5],null,3,0]]",
      "[\"float32\",[2,5],null,3,0],[\"float32\",[2,5],null,4,0],[\"float32\",[5,2],null,4,0],"
      "[\"float32\",[5,3],null,5,0],[\"float32\",[5,3],null,0,0],[\"float32\",[5,3],null,0,0]]");
  replace("[3],1,0]]",
          "[3],1,0],[\"aten.ones_like.default\",[{\"t\":3}],{},[4],1,1],"
          "[\"aten.t.default\",[{\"t\":4}],{},[5],1,1],"
          "[\"aten.mm.default\",[{\"t\":5},{\"t\":2}],{},[6],1,1],"
          "[\"aten._foreach_mul_.Scalar\",[[{\"t\":0}],0.9],{},[7],1,2],"
          "[\"aten._foreach_add_.List\",[[{\"t\":7}],[{\"t\":6}]],{\"alpha\":-0.1},[8],1,2]]");
  const Ran ran = run({"stat", "memory:net", "--format", "json"}, {file("net", text)});
  ASSERT_EQ(ran.code, STRATA_CODE_FINE) << ran.error();
  const json document = ran.parsed();
  const json& rows = document["tables"]["layers"]["rows"];
  ASSERT_EQ(rows.size(), 1u);
  const json& row = rows[0];
  EXPECT_EQ(row["type"], "Linear") << "by its forward pass";
  EXPECT_EQ(row["params"], 20);
  EXPECT_EQ(row["forward_macs"], 30);
  EXPECT_EQ(row["backward_macs"], 30);
  EXPECT_EQ(row["macs"], 60);
  EXPECT_EQ(row["recomputed_flops"], 0);
  EXPECT_EQ(row["optimizer_flops"], 45);
  EXPECT_EQ(row["forward_flops"], 2 * 30 + 10);
  const Ran refused =
      run({"stat", "memory:net", "--columns", "backward_macs"}, {file("net", kLinear)});
  EXPECT_EQ(refused.code, STRATA_CODE_USAGE);
  EXPECT_THAT(refused.error(), HasSubstr("needs a recording of a training step"));
}

TEST(CInterface, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  threads.reserve(wrong.size());
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([number, &wrong] {
      // Each has its own file of the same name: 2·3·5 MACs, or as many rows more.
      std::string text(kLinear);
      const std::string rows = std::to_string(number + 1);
      text.replace(text.find("[2,3]"), 5, "[" + rows + ",3]");
      text.replace(text.find("[2,5]"), 5, "[" + rows + ",5]");
      for (int i = 0; i < 20; ++i) {
        const Ran ran = run({"stat", "memory:net", "--format", "json"}, {file("net", text)});
        const json document = ran.parsed();
        if (document["tables"]["layers"]["rows"][0]["macs"] != (number + 1) * 15) ++wrong[number];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(CInterface, AWishToStopIsAnObjectOfTheCaller) {
  strata_stop* stop = strata_stop_new();
  ASSERT_NE(stop, nullptr);
  strata_stop_set(stop);
  strata_stop_free(stop);
  strata_stop_set(nullptr);
}

}  // namespace
