/* The wrapped calls. */
#include "fuzz/failing_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

fuzz_calls_state fuzz_calls;

void fuzz_calls_arm(unsigned n) {
  fuzz_calls.armed = n;
  fuzz_calls.called = 0;
  if (n)
    fuzz_calls.met = fuzz_calls.opening = false;
}

static bool calls_fail(void) {
  const bool fails = fuzz_calls.armed && ++fuzz_calls.called == fuzz_calls.armed;
  fuzz_calls.met |= fails;
  return fails;
}

/* --wrap: the real ones, and those that fail. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_read(int descriptor, void *to, size_t size);
ssize_t __wrap_read(int descriptor, void *to, size_t size);
ssize_t __real_write(int descriptor, const void *from, size_t size);
ssize_t __wrap_write(int descriptor, const void *from, size_t size);
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...) {
  if (calls_fail()) {
    fuzz_calls.opening = true;
    errno = EMFILE;
    return -1;
  }
  return __real_open(path, flags, 0600);
}

ssize_t __wrap_read(int descriptor, void *to, size_t size) {
  if (!calls_fail())
    return __real_read(descriptor, to, size);
  errno = fuzz_calls.how == FUZZ_FAIL_INTERRUPTED ? EINTR : EIO;
  return fuzz_calls.how == FUZZ_FAIL_SHORT ? __real_read(descriptor, to, size / 2 + size % 2) : -1;
}

ssize_t __wrap_write(int descriptor, const void *from, size_t size) {
  if (!calls_fail())
    return __real_write(descriptor, from, size);
  errno = fuzz_calls.how == FUZZ_FAIL_INTERRUPTED ? EINTR : ENOSPC;
  return fuzz_calls.how == FUZZ_FAIL_SHORT ? __real_write(descriptor, from, size / 2 + size % 2) : -1;
}

int __wrap_close(int descriptor) {
  const bool fails = calls_fail();
  const int result = __real_close(descriptor);
  if (fails)
    errno = EIO;
  return fails ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
  if (calls_fail()) {
    errno = EXDEV;
    return -1;
  }
  return __real_rename(from, to);
}
