#include "data/dataset_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mapped_file.h"
#include "data/onnx_tensor.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> cannot_be(const char* done, std::string file, const std::error_code& error) {
  return failure(Code::FileUnreadable,
                 {.file = std::move(file), .wanted = done, .detail = error.message()});
}

constexpr std::string_view kReadable = ".npy, .npz, .pb, JPEG and PNG files";

std::optional<SampleKind> kind_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  constexpr std::pair<std::string_view, SampleKind> kKinds[] = {
      {".npy", SampleKind::Npy},   {".npz", SampleKind::Npz},    {".pb", SampleKind::Pb},
      {".jpg", SampleKind::Image}, {".jpeg", SampleKind::Image}, {".png", SampleKind::Image}};
  for (const auto& [known, kind] : kKinds)
    if (extension == known) return kind;
  return std::nullopt;
}

// 12 of `input_12.pb`; nothing for other names.
std::optional<std::int64_t> number_in(std::string_view name, std::string_view before,
                                      std::string_view after) {
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  name = name.substr(before.size(), name.size() - before.size() - after.size());
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::string with_slash(std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return folder;
}

// Everything below a folder.
struct Contents {
  std::string folder;
  std::array<std::vector<std::string>, 4> files;  // by kind, sorted
  std::int64_t hidden = 0;
  std::vector<std::string> others;

  const std::vector<std::string>& of(SampleKind kind) const {
    return files[static_cast<std::size_t>(kind)];
  }
  std::string passed_over() const {  // empty: nothing
    std::vector<std::string> parts;
    if (hidden > 0) parts.push_back(fmt::format("{} hidden", hidden));
    if (!others.empty())
      parts.push_back(fmt::format("{} of other kinds ({}{})", others.size(), others[0],
                                  others.size() > 1 ? ", …" : ""));
    return parts.empty() ? "" : fmt::format("{}", fmt::join(parts, " and "));
  }
};

Result<Contents> list(const std::string& folder) {
  Contents found;
  found.folder = with_slash(folder);
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      ++found.hidden;
      at.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;  // a path that cannot be inspected fails later, when it is opened
    const bool is_link = at->is_symlink(ignored);
    if (at->is_directory(ignored) && !is_link) continue;
    std::string path = at->path().string().substr(found.folder.size());
    const auto kind = at->is_directory(ignored) ? std::nullopt : kind_of(at->path());
    if (!kind)
      found.others.push_back(std::move(path));
    else if (*kind != SampleKind::Pb || !number_in(name, "output_", ".pb"))
      found.files[static_cast<std::size_t>(*kind)].push_back(std::move(path));
  }
  if (error) return cannot_be("listed", folder, error);
  for (auto& files : found.files) std::sort(files.begin(), files.end());
  std::sort(found.others.begin(), found.others.end());
  return found;
}

InputFiles take(SampleKind kind, std::string folder, std::vector<std::string> paths) {
  return {kind, std::move(folder),
          std::make_shared<const std::vector<std::string>>(std::move(paths))};
}

// The only kind of file in the folder; several kinds are an error.
Result<InputFiles> only_kind(Contents found, std::vector<std::string>& notes) {
  std::vector<std::string> kinds;
  std::optional<SampleKind> kind;
  for (const SampleKind each :
       {SampleKind::Npy, SampleKind::Npz, SampleKind::Pb, SampleKind::Image}) {
    if (found.of(each).empty()) continue;
    kind = each;
    kinds.push_back(
        fmt::format("{} {} ({})", found.of(each).size(), text(each), found.of(each).front()));
  }
  const std::string passed = found.passed_over();
  if (!kind)
    return failure(fmt::format("{}: holds none of {}{}", found.folder, kReadable,
                               passed.empty() ? "" : ", but files " + passed));
  if (kinds.size() > 1)
    return failure(fmt::format("{}: holds {}; keep one kind in a folder", found.folder,
                               fmt::join(kinds, " and ")));
  if (!passed.empty())
    notes.push_back(fmt::format("passed over in {}: files {}", found.folder, passed));
  return take(*kind, std::move(found.folder),
              std::move(found.files[static_cast<std::size_t>(*kind)]));
}

// A folder with input_0.pb, input_1.pb, …: adds the file of each input to its list. The names in
// the files decide, if all inputs are named.
Status add_set(const std::string& root, const std::string& set,
               const std::vector<std::string>& inputs,
               std::vector<std::vector<std::string>>& lists) {
  std::vector<std::pair<std::int64_t, std::string>> files;
  std::error_code error;
  for (fs::directory_iterator at(root + set, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (const auto number = number_in(name, "input_", ".pb")) files.emplace_back(*number, name);
  }
  if (error) return cannot_be("listed", fmt::format("{}{}", root, set), error);
  std::sort(files.begin(), files.end());
  std::vector<std::string> by_name(inputs.size());
  for (const auto& [number, file] : files) {
    const std::string path = fmt::format("{}{}{}", root, set, file);
    auto mapped = MappedFile::open(path);
    if (!mapped) return failure(mapped);
    auto head = read_onnx_tensor_head((*mapped)->bytes(), path);
    if (!head) return failure(head);
    const auto input = std::find(inputs.begin(), inputs.end(), head->name);
    if (input != inputs.end()) by_name[static_cast<std::size_t>(input - inputs.begin())] = file;
  }
  if (std::find(by_name.begin(), by_name.end(), "") == by_name.end()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) lists[i].push_back(set + by_name[i]);
    return {};
  }
  bool counted = files.size() == inputs.size();
  for (std::size_t i = 0; i < files.size(); ++i)
    counted = counted && files[i].first == static_cast<std::int64_t>(i);
  if (!counted)
    return failure(fmt::format("{}{}: holds {} files input_M.pb and the model takes {} inputs: {}",
                               root, set, files.size(), inputs.size(), fmt::join(inputs, ", ")));
  for (std::size_t i = 0; i < inputs.size(); ++i) lists[i].push_back(set + files[i].second);
  return {};
}

Result<FoundFiles> from_sets(const std::string& root, const std::vector<std::string>& sets,
                             const std::vector<std::string>& inputs) {
  std::vector<std::vector<std::string>> lists(inputs.size());
  for (const std::string& set : sets)
    if (auto fine = add_set(root, set, inputs, lists); !fine) return failure(fine);
  FoundFiles found;
  for (auto& paths : lists) found.inputs.push_back(take(SampleKind::Pb, root, std::move(paths)));
  return found;
}

// The subfolders directly inside the folder.
struct Subfolders {
  std::vector<std::string> inputs;  // the inputs that have a subfolder
  std::vector<std::string> sets;    // test_data_set_0/, …
  bool has_set = false;             // input_0.pb itself
};

std::string folder_name(std::string input) {
  std::replace(input.begin(), input.end(), '/', '_');
  return input;
}

Result<Subfolders> subfolders(const std::string& root, const std::vector<std::string>& inputs) {
  Subfolders found;
  std::vector<std::pair<std::int64_t, std::string>> sets;
  std::error_code error;
  for (fs::directory_iterator at(root, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!at->is_directory(ignored)) {
      found.has_set = found.has_set || name == "input_0.pb";
      continue;
    }
    for (const std::string& input : inputs)
      if (folder_name(input) == name) found.inputs.push_back(input);
    if (const auto number = number_in(name, "test_data_set_", ""))
      sets.emplace_back(*number, name + '/');
  }
  if (error) return cannot_be("listed", root, error);
  std::sort(sets.begin(), sets.end());
  for (auto& [number, name] : sets) found.sets.push_back(std::move(name));
  return found;
}

Result<FoundFiles> one_list(const InputFiles& files, const std::string& path,
                            const std::vector<std::string>& inputs,
                            std::vector<std::string> notes) {
  if (inputs.size() > 1 && files.kind != SampleKind::Npz)
    return failure(
        fmt::format("{}: holds {} and the model takes {} inputs ({}): make a subfolder for each, "
                    "or .npz files with an array for each",
                    path, text(files.kind), inputs.size(), fmt::join(inputs, ", ")),
        ErrorKind::Usage);
  return FoundFiles{std::vector<InputFiles>(inputs.size(), files), std::move(notes)};
}

}  // namespace

std::string_view text(SampleKind kind) {
  constexpr std::string_view kTexts[] = {".npy files", ".npz files", ".pb files", "images"};
  return kTexts[static_cast<std::size_t>(kind)];
}

Result<FoundFiles> find_files(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return failure(
        coded(Code::FileMissing, {.file = path},
              Error{fmt::format("{}: there is no such folder or file", path), ErrorKind::Usage}));
  if (error) return cannot_be("opened", path, error);
  if (status.type() != fs::file_type::directory) {
    const auto kind = kind_of(path);
    if (!kind)
      return failure(fmt::format("{}: data are {}, or a folder of them", path, kReadable),
                     ErrorKind::Usage);
    return one_list(take(*kind, "", {path}), path, inputs, {});
  }
  const std::string root = with_slash(path);
  auto below = subfolders(root, inputs);
  if (!below) return failure(below);
  if (!below->inputs.empty()) {
    FoundFiles found;
    for (const std::string& input : inputs) {
      if (std::find(below->inputs.begin(), below->inputs.end(), input) == below->inputs.end())
        return failure(fmt::format("{}: has a folder {} and none for input \"{}\"", path,
                                   folder_name(below->inputs[0]), input));
      auto contents = list(root + folder_name(input));
      if (!contents) return failure(contents);
      auto files = only_kind(std::move(*contents), found.notes);
      if (!files) return failure(files);
      found.inputs.push_back(std::move(*files));
    }
    return found;
  }
  if (!below->sets.empty()) return from_sets(root, below->sets, inputs);
  if (below->has_set && inputs.size() > 1) return from_sets(root, {""}, inputs);
  auto contents = list(path);
  if (!contents) return failure(contents);
  std::vector<std::string> notes;
  auto files = only_kind(std::move(*contents), notes);
  if (!files) return failure(files);
  return one_list(*files, path, inputs, std::move(notes));
}

}  // namespace strata
