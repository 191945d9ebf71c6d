// The families of networks, one file each.
#pragma once

#include <array>
#include <span>

#include "strata/zoo/zoo.h"

namespace strata::zoo {

// Parameters that every image network has, to be listed with its own.
inline constexpr Parameter kBatch{"batch", ParameterKind::Size, "1", "images at once"};
inline constexpr Parameter kResolution{
    "resolution", ParameterKind::Whole, "224", "height and width of the image", 1, 65536};
inline constexpr Parameter kClasses{"classes", ParameterKind::Whole, "1000", "outputs"};
inline constexpr Parameter kType{
    "dtype", ParameterKind::Choice, "f32", "type of weights and activations", 0, 0, "f32|f16|bf16"};
inline constexpr Parameter kImageParameters[] = {kBatch, kResolution, kClasses, kType};
// Like above, with another resolution, or with one that cannot be below `least`.
constexpr std::array<Parameter, 4> image_parameters(std::string_view resolution, double least = 1) {
  return {kBatch,
          Parameter{"resolution", ParameterKind::Whole, resolution, kResolution.help, least, 65536},
          kClasses, kType};
}

// The input image of a network: batch×3×resolution×resolution.
Var image(Builder& net, const Arguments& arguments);

// `value` rounded to a multiple of `divisor`, but never more than a tenth below it.
std::int64_t scaled_channels(double value, std::int64_t divisor = 8);

std::span<const Entry> alexnet_networks();
std::span<const Entry> convnext_networks();
std::span<const Entry> decoder_networks();
std::span<const Entry> densenet_networks();
std::span<const Entry> detection_networks();
std::span<const Entry> efficientnet_networks();
std::span<const Entry> efficientvit_networks();
std::span<const Entry> googlenet_networks();
std::span<const Entry> gpt2_networks();
std::span<const Entry> mnasnet_networks();
std::span<const Entry> mobilenet_networks();
std::span<const Entry> mobilenet_v3_networks();
std::span<const Entry> regnet_networks();
std::span<const Entry> resnet_networks();
std::span<const Entry> shufflenet_networks();
std::span<const Entry> squeezenet_networks();
std::span<const Entry> swiftnet_networks();
std::span<const Entry> swin_networks();
std::span<const Entry> vgg_networks();
std::span<const Entry> vit_networks();
std::span<const Entry> whisper_networks();
std::span<const Entry> yolox_networks();

}  // namespace strata::zoo
