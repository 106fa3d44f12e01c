import CAllocationCount

/// The allocations of `body`.
func allocations(of body: () -> Void) -> Int {
  allocation_count_begin()
  body()
  return allocation_count_end()
}

/// Whether the count counts: a class's instance is one.
let allocationsAreCounted = allocations { withExtendedLifetime(Something()) {} } > 0

private final class Something {
  var value = Int.random(in: 0...1)
}
