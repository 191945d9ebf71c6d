// The test program is its own worker, like any program without `strata` beside it: these
// are the lines that strata/task/worker.h tells its readers to write.
#include <string_view>

#include <gmock/gmock.h>

#include "strata/task/worker.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker")
    return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
