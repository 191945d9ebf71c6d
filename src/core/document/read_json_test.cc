#include "strata/document/read_json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/document/render.h"

namespace strata {
namespace {

using testing::HasSubstr;

// Every type of column, and what cells can say.
constexpr std::string_view kText = R"({
  "kind": "payload",
  "schema": 2,
  "tool": {
    "name": "strata",
    "version": "9.9"
  },
  "options": {
    "model": "a.onnx"
  },
  "machine": {
    "cpu": "some"
  },
  "facts": {
    "model": {
      "nodes": 3,
      "names": ["a","b"],
      "share": 0.5,
      "known": true,
      "none": null
    }
  },
  "tables": {
    "cuts": {
      "columns": [
        {
          "name": "layer",
          "title": "Layer",
          "unit": "text",
          "type": "plain",
          "additive": false
        },
        {
          "name": "macs",
          "title": "MACs",
          "unit": "macs",
          "type": "plain",
          "additive": true
        },
        {
          "name": "time_s",
          "title": "Time",
          "unit": "seconds",
          "type": "estimate",
          "additive": false
        },
        {
          "name": "shapes",
          "title": "Shapes",
          "unit": "text",
          "type": "shapes",
          "additive": false
        }
      ],
      "rows": [
        {
          "layer": "a",
          "macs": 7,
          "time_s": 1.5,
          "time_interval_s": [1.0,2.0],
          "shapes": [[1,"N"],null]
        },
        {
          "layer": null,
          "macs": {
            "at_least": 3
          },
          "time_s": null,
          "time_interval_s": null,
          "shapes": []
        }
      ],
      "totals": {
        "macs": {
          "formula": "3·N"
        }
      }
    }
  },
  "notes": ["a sentence"]
}
)";

TEST(DocumentFromJson, IsWrittenAgainAsItWas) {
  auto document = document_from_json(kText, "x");
  ASSERT_TRUE(document) << document.error().message;
  const Table& table = document->tables.at(0);
  EXPECT_EQ(std::get<Expr>(table.rows[0].cells[1].value), Expr(7));
  EXPECT_EQ(table.rows[1].cells[1].certainty, Certainty::LowerBound);
  EXPECT_EQ(std::get<Estimate>(table.rows[0].cells[2].value).high, 2.0);
  EXPECT_EQ(render_json(*document), kText);
}

TEST(DocumentFromJson, WhatIsNoDocumentIsRefused) {
  const auto problem = [](std::string_view text) {
    const auto document = document_from_json(text, "x");
    return document ? std::string() : document.error().message;
  };
  EXPECT_EQ(problem("{"), "document x: it is not JSON");
  EXPECT_EQ(problem("[]"), "document x: it is not an object");
  EXPECT_THAT(problem("{}"), HasSubstr("\"kind\""));
  EXPECT_THAT(problem(R"({"kind":"a","tables":{"t":3}})"),
              HasSubstr("table \"t\" is not an object"));
  EXPECT_THAT(problem(R"({"kind":"a","tables":{"t":{"columns":[]}}})"),
              HasSubstr("no list of rows"));
  EXPECT_THAT(problem(R"({"kind":"a","tables":{"t":{"rows":[],"columns":[
                          {"name":"x","unit":"miles","type":"plain"}]}}})"),
              HasSubstr("not known"));
  EXPECT_THAT(problem(R"({"kind":"a","tables":{"t":{"columns":[],"rows":[1]}}})"),
              HasSubstr("a row that is not an object"));
}

}  // namespace
}  // namespace strata
