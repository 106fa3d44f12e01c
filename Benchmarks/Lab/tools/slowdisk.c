/* slowdisk.c: a library for LD_PRELOAD that makes the disk slow.
 *
 * Each fsync, fdatasync and rename takes SLOWDISK_MS milliseconds longer (3000), as on a full memory card or a disk that
 * has to start. Other calls are not affected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void stall(void) {
  const char *text = getenv("SLOWDISK_MS");
  long ms = text ? atol(text) : 3000;
  struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0) {}
}

int fsync(int descriptor) {
  stall();
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return original(descriptor);
}

int fdatasync(int descriptor) {
  stall();
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return original(descriptor);
}

int rename(const char *from, const char *to) {
  stall();
  int (*original)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  return original(from, to);
}
