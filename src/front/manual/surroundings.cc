#include "manual/surroundings.h"

namespace strata::manual {

namespace {

constexpr ExitCodeFacts kExitCodes[] = {
    {0, "all is well"},
    {1, "a model, a file or an engine failed; one sentence on stderr says why"},
    {2, "wrong usage: an option, a name or a value that there is not, or one without an effect"},
    {3,
     "a check failed: something could not be counted, a target was missed, a budget was not kept, "
     "a "
     "claim is untrue"},
    {70, "a bug in strata; please report it"},
    {130, "interrupted by Ctrl-C or SIGTERM; what there was is printed"},
};

constexpr VariableFacts kVariables[] = {
    {"COLUMNS", "how wide tables for the terminal may be, instead of its own width"},
    {"NO_COLOR", "if it is set to anything, nothing is printed in colour; bars stay"},
    {"STRATA_CALLER",
     "the caller whose words advice is in: `python` names keyword arguments, and an error is also "
     "printed as a line of JSON"},
    {"STRATA_ENGINE_PATH", "folders to look for engines in, with colons between them"},
    {"STRATA_ENGINE_PROGRAMS",
     "engines of bench that are no plugins, NAME=PROGRAM with colons between them: the programs "
     "are started as their workers"},
    {"STRATA_ONNXRUNTIME", "the library of ONNX Runtime, or the folder that it is in"},
    {"STRATA_OPENVINO", "the folder that pip installed OpenVINO in, or that of its libraries"},
    {"TERM", "`dumb` turns off colours and bars"},
    {"TMPDIR", "the folder for temporary files, instead of /tmp"},
    {"XDG_CACHE_HOME", "the folder in which what this machine can do at best is kept"},
    {"HOME", "has that folder as .cache if XDG_CACHE_HOME is not set"},
};

}  // namespace

std::span<const ExitCodeFacts> exit_codes() { return kExitCodes; }

std::span<const VariableFacts> variables() { return kVariables; }

}  // namespace strata::manual
