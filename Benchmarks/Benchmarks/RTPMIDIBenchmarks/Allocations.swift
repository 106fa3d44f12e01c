import Benchmark
import CAllocationCount

/// Runs `body` and returns the number of memory allocations during this time.
func allocations(of body: () -> Void) -> Int {
  allocation_count_begin()
  body()
  return allocation_count_end()
}

/// Whether allocations are counted. If the program does not use the `malloc` of `CAllocationCount`, every count is 0. The check creates an
/// array, which takes at least one allocation.
let allocationsAreCounted = allocations { blackHole([UInt8](repeating: 1, count: Int.random(in: 100...200))) } > 0
