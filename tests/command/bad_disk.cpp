// A disk that fails, for tests: loaded before everything else (LD_PRELOAD), counts the calls that change files, and
// from the one numbered in BAD_DISK on does not do them.
//
//   BAD_DISK=count:FILE   writes the number of calls to FILE at the end
//   BAD_DISK=kill:N       kill -9 at call N: before it, or in the middle of a write
//   BAD_DISK=full:N       from call N on what needs space fails: the disk is full

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum class Mode { none, count, kill, full };

struct Plan {
  Mode mode = Mode::none;
  long at = 0;
  const char* file = nullptr;

  Plan() {
    const char* text = std::getenv("BAD_DISK");
    if (!text) return;
    const char* value = std::strchr(text, ':');
    if (!value++) return;
    mode = *text == 'c' ? Mode::count : *text == 'k' ? Mode::kill : Mode::full;
    file = value;
    at = std::atol(value);
  }
};

const Plan& plan() {
  static const Plan the_plan;
  return the_plan;
}

std::atomic<long> calls = 0;

struct AtEnd {
  ~AtEnd() {
    if (plan().mode != Mode::count) return;
    if (std::FILE* out = std::fopen(plan().file, "w")) {
      std::fprintf(out, "%ld\n", calls.load());
      std::fclose(out);
    }
  }
} at_end;

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

/// Counts a call. True: it must fail.
bool fails(bool needs_space) {
  const long n = ++calls;
  if (plan().mode == Mode::kill && n >= plan().at) die();
  return plan().mode == Mode::full && n >= plan().at && needs_space;
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

int no_space() {
  errno = ENOSPC;
  return -1;
}

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static auto* const original = real<ssize_t(int, const void*, size_t)>("write");
  if (!is_file(descriptor)) return original(descriptor, bytes, count);
  if (plan().mode == Mode::kill && calls + 1 == plan().at)
    static_cast<void>(!original(descriptor, bytes, count / 2));
  return fails(true) ? no_space() : original(descriptor, bytes, count);
}

int open(const char* path, int flags, ...) {
  static auto* const original = real<int(const char*, int, ...)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if (flags & O_CREAT && fails(::access(path, F_OK) != 0)) return no_space();
  return original(path, flags, mode);
}

int fsync(int descriptor) {
  static auto* const original = real<int(int)>("fsync");
  return fails(false) ? no_space() : original(descriptor);
}

int rename(const char* from, const char* to) {
  static auto* const original = real<int(const char*, const char*)>("rename");
  return fails(false) ? no_space() : original(from, to);
}

int unlink(const char* path) {
  static auto* const original = real<int(const char*)>("unlink");
  return fails(false) ? no_space() : original(path);
}

int remove(const char* path) {
  static auto* const original = real<int(const char*)>("remove");
  return fails(false) ? no_space() : original(path);
}

int ftruncate(int descriptor, off_t size) noexcept {
  static auto* const original = real<int(int, off_t)>("ftruncate");
  return fails(false) ? no_space() : original(descriptor, size);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const original = real<int(const char*, mode_t)>("mkdir");
  return fails(true) ? no_space() : original(path, mode);
}
}
