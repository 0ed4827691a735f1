#include "core/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <memory>
#include <mutex>

namespace hydrolith {

namespace {
std::mutex limit_mutex;
std::unique_ptr<oneapi::tbb::global_control> limit;
}  // namespace

void set_threads(int count) {
  const std::lock_guard lock(limit_mutex);
  limit.reset();
  if (count > 0)
    limit = std::make_unique<oneapi::tbb::global_control>(
        oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
}

int threads() {
  return static_cast<int>(oneapi::tbb::global_control::active_value(
      oneapi::tbb::global_control::max_allowed_parallelism));
}

}  // namespace hydrolith
