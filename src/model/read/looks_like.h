// Guesses what a file that cannot be read is, so that the error can say so.
#pragma once

#include <string>
#include <string_view>

namespace strata {

struct Guess {
  std::string_view what;    // `a PNG image`; empty: no idea
  std::string_view advice;  // what to do; may be empty
};

Guess looks_like(std::string_view bytes);
// The advice with the path of the file or folder in its command.
std::string advice_for(const Guess& guess, const std::string& path);
// Recognises a folder by the names in it.
Guess looks_like_folder(const std::string& path);
// A Core ML model or a SavedModel: their first fields are also ONNX's.
Guess looks_like_relative_of_onnx(std::string_view bytes);

// Nothing but letters, signs and line ends. No ONNX file is: the tags of its messages are below 32.
bool is_text(std::string_view bytes);

}  // namespace strata
