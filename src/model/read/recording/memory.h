// The parts of a recording that say when memory was taken and given back, and what for.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "read/recording/calls.h"
#include "read/recording/tables.h"
#include "strata/graph/recorded.h"

namespace strata::recording {

// To be used after the calls were read. Parts come in this order; later uses of a storage win.
class MemoryReader {
 public:
  MemoryReader(const Loading& loading, const CallReader& calls, std::shared_ptr<RecordedRun> run)
      : loading_(loading), calls_(calls), run_(std::move(run)) {}

  void read_storages(JsonText& json);
  void read_frees(JsonText& json);
  // Tensors that were there before the run.
  void use(RecordedStorage::Use use, const std::vector<TensorId>& tensors);
  void read_saved(JsonText& json);
  void read_optimizer(JsonText& json);
  void read_gradients(JsonText& json);
  void finish();

 private:
  // Null where the recording does not say which it is.
  RecordedStorage* storage_of(TensorId tensor);
  RecordedStorage& storage(std::int64_t number);
  void read_uses(JsonText& json, RecordedStorage::Use use);

  const Loading& loading_;
  const CallReader& calls_;
  std::shared_ptr<RecordedRun> run_;
};

}  // namespace strata::recording
