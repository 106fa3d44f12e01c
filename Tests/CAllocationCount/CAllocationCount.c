#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

// The internal names of glibc's allocation functions. The functions below replace the public names and call the internal ones.
// `free` is not replaced.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Whether the calling thread counts its allocations (1 or 0), and their number. The thread-local storage of the executable exists
// before the first malloc of a thread, so malloc can use these variables.
static __thread int counting;
static __thread long count;

void allocation_count_begin(void) {
  count = 0;
  counting = 1;
}

long allocation_count_end(void) {
  counting = 0;
  return count;
}

void *malloc(size_t size) {
  count += counting;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count += counting;
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count += counting;
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count += counting;
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}
