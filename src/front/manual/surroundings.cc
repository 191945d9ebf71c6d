#include "manual/surroundings.h"

namespace strata::manual {

namespace {

constexpr ExitCodeFacts kExitCodes[] = {
    {0, "all is well"},
    {1, "a model, a file or an engine failed; one sentence on stderr says why"},
    {2,
     "wrong usage: an option, name or value that does not exist, or an option without an effect"},
    {3,
     "a check failed: something could not be counted, a target was missed, a budget was exceeded, "
     "a claim is false"},
    {70, "a bug in strata; please report it"},
    {130, "interrupted by Ctrl-C or SIGTERM; partial results are printed"},
};

constexpr VariableFacts kVariables[] = {
    {"COLUMNS", "the width of tables, instead of the terminal's own"},
    {"NO_COLOR", "if it is set to anything, nothing is printed in colour; bars stay"},
    {"STRATA_CALLER",
     "who calls strata: with `python`, advice names keyword arguments, and an error is also "
     "printed as a line of JSON"},
    {"STRATA_ENGINE_PATH", "folders to look for engines in, separated by colons"},
    {"STRATA_ENGINE_PROGRAMS",
     "engines for bench that are separate programs, as NAME=PROGRAM separated by colons; strata "
     "starts the programs as workers"},
    {"STRATA_ONNXRUNTIME", "the library of ONNX Runtime, or the folder that it is in"},
    {"STRATA_OPENVINO", "the folder that pip installed OpenVINO in, or that of its libraries"},
    {"TERM", "`dumb` turns off colours and bars"},
    {"TMPDIR", "the folder for temporary files, instead of /tmp"},
    {"XDG_CACHE_HOME", "the folder in which strata caches the measured peak speed of this machine"},
    {"HOME", "its folder .cache is used if XDG_CACHE_HOME is not set"},
};

}  // namespace

std::span<const ExitCodeFacts> exit_codes() { return kExitCodes; }

std::span<const VariableFacts> variables() { return kVariables; }

}  // namespace strata::manual
