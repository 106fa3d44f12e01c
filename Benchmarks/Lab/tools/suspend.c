// suspend.c: suspends one program as the kernel suspends a laptop. Loaded with LD_PRELOAD.
//
// The lab cannot suspend one of its hosts, because all hosts run on one kernel. The scenario stops the program with SIGSTOP
// and adds the duration to the file $SUSPENDED, eight octets of nanoseconds. For the program, CLOCK_MONOTONIC is then behind by
// this time, as if it had stood still. CLOCK_BOOTTIME and CLOCK_REALTIME are unchanged.
//
// Covers the calls with CLOCK_MONOTONIC of Sources/CRealtime: clock_gettime, clock_nanosleep, pthread_clockjoin_np, and futex
// with an absolute time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t none, *suspended = &none;
static long (*real_syscall)(long, ...);

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SUSPENDED");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *suspended, PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) suspended = memory;
  close(file);
}

static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  if (!real_syscall) real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real_syscall(number, a, b, c, d, e, f);
}

/// Returns `t` plus `sign` times the duration of all suspensions; `t` itself if the result is out of range.
static struct timespec moved(struct timespec t, int sign) {
  int64_t ns = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
  if (__builtin_add_overflow(ns, sign * *(volatile const int64_t *)suspended, &ns)) return t;
  return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  const long code = kernel(SYS_clock_gettime, clock, (long)t, 0, 0, 0, 0);
  if (code == 0 && clock == CLOCK_MONOTONIC) *t = moved(*t, -1);
  return code;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *rest) {
  struct timespec until = *t;
  if (clock == CLOCK_MONOTONIC && flags & TIMER_ABSTIME) until = moved(until, 1);
  return kernel(SYS_clock_nanosleep, clock, flags, (long)&until, (long)rest, 0, 0) == 0 ? 0 : errno;
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *t) {
  int (*join)(pthread_t, void **, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "pthread_clockjoin_np");
  const struct timespec until = moved(*t, 1);
  return join(thread, result, clock, &until);
}

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  struct timespec until;
  if (number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && a[3]) {
    until = moved(*(const struct timespec *)a[3], 1);
    a[3] = (long)&until;
  }
  return kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
