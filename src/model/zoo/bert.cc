#include "zoo/bert.h"

#include <cmath>

#include <fmt/format.h>

#include "zoo/decoder.h"

namespace strata::zoo {

using build::Builder;
using build::Var;

namespace {

// The parts of a task's head.
struct BertHead {
  std::string_view cls;
  bool pooler, words, next_sentence, tokens, texts;
};
constexpr BertHead kHeads[] = {
    {"BertModel", true, false, false, false, false},
    {"BertForPreTraining", true, true, true, false, false},
    {"BertForMaskedLM", false, true, false, false, false},
    {"BertForNextSentencePrediction", true, false, true, false, false},
    {"BertForSequenceClassification", true, false, false, false, true},
    {"BertForTokenClassification", false, false, false, true, false},
    {"BertForQuestionAnswering", false, false, false, true, false},
};

const BertHead* find_head(std::string_view cls) {
  for (const BertHead& head : kHeads)
    if (head.cls == cls) return &head;
  return nullptr;
}

class Bert {
 public:
  Bert(Builder& net, const BertShape& shape) : net_(net), shape_(shape) {}

  Var embeddings(Var ids, Var kinds) {
    const auto module = net_.module("embeddings", "BertEmbeddings");
    {
      const auto words = net_.module("word_embeddings", "Embedding");
      words_ = net_.weight("weight", {shape_.vocab, shape_.width});
      ids = net_.gather(words_, ids, 0);
    }
    const Var end = net_.squeeze(net_.length(ids, 1), {0});
    Var x =
        net_.add(ids, net_.embedding("token_type_embeddings", kinds, shape_.kinds, shape_.width));
    const Var first = net_.integer(0);
    const Var places = net_.op("Range", {first, end, net_.integer(1)});
    x = net_.add(x, net_.embedding("position_embeddings", places, shape_.positions, shape_.width));
    return net_.dropout("dropout", norm("LayerNorm", x));
  }

  Var encoder(Var x, Var mask) {
    const auto module = net_.module("encoder", "BertEncoder");
    const auto layers = net_.module("layer", "ModuleList");
    for (std::int64_t i = 0; i < shape_.layers; ++i) {
      const auto layer = net_.module(i, "BertLayer");
      x = attention(x, mask);
      Var inner;
      {
        const auto intermediate = net_.module("intermediate", "BertIntermediate");
        inner = activation_function(net_, "intermediate_act_fn", shape_.activation,
                                    net_.linear("dense", x, shape_.ffn));
      }
      const auto output = net_.module("output", "BertOutput");
      x = added(inner, x);
    }
    return x;
  }

  // Pools the first token, which stands for the text.
  Var pooled(Var x) {
    const auto module = net_.module("pooler", "BertPooler");
    const Var first = net_.squeeze(net_.slice(x, 1, 0, 1), {1});
    const Var dense = net_.linear("dense", first, shape_.width);
    const auto activation = net_.module("activation", "Tanh");
    return net_.op("Tanh", {dense});
  }

  // The decoder has the weights of the embeddings, and a bias that its parent holds.
  Var words(Var x) {
    const auto module = net_.module("predictions", "BertLMPredictionHead");
    {
      const auto transform = net_.module("transform", "BertPredictionHeadTransform");
      x = net_.linear("dense", x, shape_.width);
      x = norm("LayerNorm", activation_function(net_, "transform_act_fn", shape_.activation, x));
    }
    const Var bias = net_.weight("bias", {shape_.vocab});
    const auto decoder = net_.module("decoder", "Linear");
    return net_.add(bias, net_.matmul(x, net_.transpose(words_, {1, 0})));
  }

 private:
  Var norm(std::string_view name, Var x) {
    return net_.layer_norm(name, x, {.epsilon = shape_.epsilon});
  }

  // The end of attention and MLP: a layer, and the sum with what came in.
  Var added(Var x, Var before) {
    x = net_.dropout("dropout", net_.linear("dense", x, shape_.width));
    return norm("LayerNorm", net_.add(x, before));
  }

  Var attention(Var x, Var mask) {
    const auto module = net_.module("attention", "BertAttention");
    const Var before = x;
    {
      const auto self = net_.module("self", "BertSelfAttention");
      const std::int64_t head = shape_.width / shape_.heads;
      const Expr batch = net_.size(x, 0), length = net_.size(x, 1);
      const auto part = [&](std::string_view name) {
        const Var all = net_.linear(name, before, shape_.width);
        return net_.transpose(net_.reshape(all, {batch, length, shape_.heads, head}), {0, 2, 1, 3});
      };
      const Var query = part("query");
      const Var key = part("key");
      const Var value = part("value");
      const Var scores = net_.mul(net_.matmul(query, net_.transpose(key, {0, 1, 3, 2})),
                                  net_.number(1 / std::sqrt(static_cast<float>(head))));
      const Var weights = net_.dropout("dropout", net_.softmax(net_.add(scores, mask), -1));
      x = net_.transpose(net_.matmul(weights, value), {0, 2, 1, 3});
      x = net_.reshape(x, {batch, length, shape_.width});
    }
    const auto output = net_.module("output", "BertSelfOutput");
    return added(x, before);
  }

  Builder& net_;
  const BertShape& shape_;
  Var words_ = {};  // the table of words
};

// 0 for a token, a large negative number for padding: batch×1×1×length.
Var padding_mask(Builder& net, Var given) {
  const Var in_type = net.cast(net.unsqueeze(given, {1, 2}), net.dtype());
  return net.mul(net.sub(net.number(1), in_type), net.number(-65504));
}

void task_outputs(Builder& net, Bert& bert, const BertHead& head, const BertShape& shape, Var x,
                  Var pooled) {
  if (head.words || head.next_sentence) {
    const char* cls = !head.words          ? "BertOnlyNSPHead"
                      : head.next_sentence ? "BertPreTrainingHeads"
                                           : "BertOnlyMLMHead";
    const auto module = net.module("cls", cls);
    if (head.words) net.output("prediction_logits", bert.words(x));
    if (head.next_sentence)
      net.output("seq_relationship_logits", net.linear("seq_relationship", pooled, 2));
  }
  if (head.cls == "BertForQuestionAnswering")
    return net.output("logits", net.linear("qa_outputs", x, shape.labels));
  if (head.tokens)
    net.output("logits", net.linear("classifier", net.dropout("dropout", x), shape.labels));
  if (head.texts)
    net.output("logits", net.linear("classifier", net.dropout("dropout", pooled), shape.labels));
}

}  // namespace

bool is_bert_class(std::string_view cls) { return find_head(cls) != nullptr; }

void build_bert(Builder& net, const BertShape& shape, const Expr& batch, const Expr& sequence) {
  const BertHead* head = find_head(shape.cls);
  if (head == nullptr) return net.fail(fmt::format("there is no class \"{}\" here", shape.cls));
  if (shape.width % shape.heads != 0)
    return net.fail(fmt::format("a width of {} gives {} heads no whole number of channels",
                                shape.width, shape.heads));
  const Var ids = net.input("input_ids", DType::I64, {batch, sequence});
  const Var given = net.input("attention_mask", DType::I64, {batch, sequence});
  const Var kinds = net.input("token_type_ids", DType::I64, {batch, sequence});
  Bert bert(net, shape);
  const bool is_plain = shape.cls == "BertModel";
  Var x, pooled;
  const auto encode = [&] {
    const Var mask = padding_mask(net, given);
    x = bert.encoder(bert.embeddings(ids, kinds), mask);
    if (head->pooler) pooled = bert.pooled(x);
  };
  if (is_plain) {
    encode();
    net.output("last_hidden_state", x);
    return net.output("pooler_output", pooled);
  }
  {
    const auto model = net.module("bert", "BertModel");
    encode();
  }
  task_outputs(net, bert, *head, shape, x, pooled);
}

}  // namespace strata::zoo
