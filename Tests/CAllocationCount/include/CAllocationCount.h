// Counts the heap allocations of one thread, by standing in for malloc and its family in the test executable. Counts what
// Swift, C and the system libraries ask for alike; other threads may allocate meanwhile.
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

/// Starts counting the calling thread's allocations at 0.
void allocation_count_begin(void);

/// Stops counting and returns how many allocations the calling thread has made since ``allocation_count_begin``.
long allocation_count_end(void);

#endif
