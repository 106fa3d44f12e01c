import Benchmark
import CAllocationCount

/// Returns the number of allocations in `body`.
func allocations(of body: () -> Void) -> Int {
  allocation_count_begin()
  body()
  return allocation_count_end()
}

/// Whether allocations are counted: creating an array must count at least one.
let allocationsAreCounted = allocations { blackHole([UInt8](repeating: 1, count: Int.random(in: 100...200))) } > 0
