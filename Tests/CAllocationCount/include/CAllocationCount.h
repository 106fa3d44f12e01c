// Counts the heap allocations of one thread. In the test executable, the functions of this module replace malloc and its family.
// They count the allocations by Swift, by C and by the system libraries. Allocations of other threads do not count.
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

/// Starts to count the allocations of the calling thread, from 0 on.
void allocation_count_begin(void);

/// Stops counting. Returns the number of allocations by the calling thread since ``allocation_count_begin``.
long allocation_count_end(void);

#endif
