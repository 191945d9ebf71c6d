#include "strata/llm/matrix.h"

namespace strata::llm {

std::string_view name_of(Mixer mixer) {
  switch (mixer) {
    case Mixer::None:
      return "none";
    case Mixer::Attention:
      return "attention";
    case Mixer::Latent:
      return "latent attention";
    case Mixer::Mamba1:
      return "Mamba";
    case Mixer::Mamba2:
      return "Mamba-2";
    case Mixer::Delta:
      return "gated delta rule";
    case Mixer::Lightning:
      return "linear attention";
    case Mixer::Convolution:
      return "convolution";
    case Mixer::Rwkv:
      return "RWKV";
  }
  return "";
}

std::string_view name_of(Mlp mlp) {
  switch (mlp) {
    case Mlp::None:
      return "none";
    case Mlp::Gated:
      return "gated";
    case Mlp::Plain:
      return "plain";
    case Mlp::Experts:
      return "experts";
    case Mlp::Rwkv:
      return "RWKV";
  }
  return "";
}

std::string_view name_of(Part part) {
  switch (part) {
    case Part::Embedding:
      return "embedding";
    case Part::Head:
      return "head";
    case Part::Attention:
      return "attention";
    case Part::State:
      return "state space";
    case Part::Mlp:
      return "mlp";
    case Part::Router:
      return "router";
    case Part::Shared:
      return "shared experts";
    case Part::Experts:
      return "experts";
  }
  return "";
}

}  // namespace strata::llm
