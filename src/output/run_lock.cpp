#include "output/run_lock.h"

#include "hydrolith/error.h"

#include "output/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

namespace hydrolith {
namespace fs = std::filesystem;

namespace {

fs::path lock_file(const fs::path& run) { return run / "run.lock"; }

/// Whether the lock was free. A file system without locks counts as free.
bool take(int descriptor, int kind) {
  while (::flock(descriptor, kind | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return errno != EWOULDBLOCK;
  }
  return true;
}

}  // namespace

RunLock::RunLock(const fs::path& run)
    : file_(std::make_unique<FileDescriptor>(lock_file(run), O_RDWR | O_CREAT)) {
  if (!take(file_->get(), LOCK_EX))
    throw IoError(fmt::format(
        "{}: this run is being written by another process. Wait for it or stop it with Ctrl-C",
        run.string()));
}

RunLock::~RunLock() = default;
RunLock::RunLock(RunLock&&) noexcept = default;

bool is_being_written(const fs::path& run) {
  if (!fs::exists(lock_file(run))) return false;
  FileDescriptor file(lock_file(run), O_RDONLY);
  return !take(file.get(), LOCK_SH);
}

}  // namespace hydrolith
