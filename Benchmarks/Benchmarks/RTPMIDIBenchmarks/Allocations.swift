import Benchmark
import CAllocationCount

/// The allocations of `body`.
func allocations(of body: () -> Void) -> Int {
  allocation_count_begin()
  body()
  return allocation_count_end()
}

/// Whether the count counts: an array is an allocation.
let allocationsAreCounted = allocations { blackHole([UInt8](repeating: 1, count: Int.random(in: 100...200))) } > 0
