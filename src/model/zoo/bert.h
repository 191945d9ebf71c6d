// BERT: an encoder for text, with the head of its task. Modules have the names and classes of
// Hugging Face's transformers.
#pragma once

#include <cstdint>
#include <string>

#include "strata/build/builder.h"

namespace strata::zoo {

struct BertShape {
  std::string cls = "BertModel";  // also says which head it has
  std::int64_t vocab = 0, width = 0, layers = 0, heads = 0, ffn = 0;
  std::int64_t positions = 512;  // that there are embeddings for
  std::int64_t kinds = 2;        // of segments
  std::int64_t labels = 2;       // of a classifier
  std::string activation = "gelu";
  float epsilon = 1e-12F;
};

// True if there is a head for a class of transformers: `BertForMaskedLM`.
bool is_bert_class(std::string_view cls);

void build_bert(build::Builder& net, const BertShape& shape, const Expr& batch,
                const Expr& sequence);

}  // namespace strata::zoo
