// Counts the heap allocations of one thread. The test executable replaces malloc and its family by the functions of this
// module. They count the allocations by Swift, by C and by the system libraries. Allocations of other threads do not count.
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

/// Starts counting the calling thread's allocations at 0.
void allocation_count_begin(void);

/// Stops counting and returns how many allocations the calling thread has made since ``allocation_count_begin``.
long allocation_count_end(void);

#endif
