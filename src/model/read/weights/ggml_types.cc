#include "read/weights/ggml_types.h"

namespace strata::weights {

namespace {

// Each row is the layout of a C structure of ggml: Q4_0 is 32 numbers of 4 bits and a scale of 16,
// 18 bytes; Q4_K is 256 numbers of 4 bits, 12 bytes of scales and two of 16 bits, 144 bytes.
constexpr GgmlType kGgmlTypes[] = {
    {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 40},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
    {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "bf16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
};

// Numbers that are missing here were given up by llama.cpp.
constexpr GgufFileType kFileTypes[] = {
    {0, "F32", "f32"},        {1, "F16", "f16"},          {2, "Q4_0", "Q4_0"},
    {3, "Q4_1", "Q4_1"},      {7, "Q8_0", "Q8_0"},        {8, "Q5_0", "Q5_0"},
    {9, "Q5_1", "Q5_1"},      {10, "Q2_K", "Q2_K"},       {11, "Q3_K_S", "Q3_K"},
    {12, "Q3_K_M", "Q3_K"},   {13, "Q3_K_L", "Q3_K"},     {14, "Q4_K_S", "Q4_K"},
    {15, "Q4_K_M", "Q4_K"},   {16, "Q5_K_S", "Q5_K"},     {17, "Q5_K_M", "Q5_K"},
    {18, "Q6_K", "Q6_K"},     {19, "IQ2_XXS", "IQ2_XXS"}, {20, "IQ2_XS", "IQ2_XS"},
    {21, "Q2_K_S", "Q2_K"},   {22, "IQ3_XS", "IQ3_S"},    {23, "IQ3_XXS", "IQ3_XXS"},
    {24, "IQ1_S", "IQ1_S"},   {25, "IQ4_NL", "IQ4_NL"},   {26, "IQ3_S", "IQ3_S"},
    {27, "IQ3_M", "IQ3_S"},   {28, "IQ2_S", "IQ2_XS"},    {29, "IQ2_M", "IQ2_S"},
    {30, "IQ4_XS", "IQ4_XS"}, {31, "IQ1_M", "IQ1_M"},     {32, "BF16", "bf16"},
    {36, "TQ1_0", "TQ1_0"},   {37, "TQ2_0", "TQ2_0"},     {38, "MXFP4_MOE", "MXFP4"},
};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t number) {
  for (const GgmlType& type : kGgmlTypes)
    if (type.number == number) return &type;
  return nullptr;
}

const GgufFileType* find_file_type(std::uint32_t number) {
  for (const GgufFileType& type : kFileTypes)
    if (type.number == number) return &type;
  return nullptr;
}

}  // namespace strata::weights
