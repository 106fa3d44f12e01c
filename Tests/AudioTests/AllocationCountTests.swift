import CAllocationCount
import Glibc
import Testing

/// Tests of the allocation counter itself. A count of zero proves something only if the counter can count.
@Suite struct AllocationCountTests {
  @Test func counterCountsAllocationsOfSwiftAndC() {
    let text = strdup("inside the C library")!
    allocation_count_begin()
    let array = [Int](repeating: 1, count: 100)
    let swift = allocation_count_end()
    // One allocation for the array, and more if the runtime uses its type for the first time.
    #expect(swift >= 1 && array.count == 100)

    allocation_count_begin()
    free(strdup(text))
    free(malloc(100))
    free(calloc(3, 100))
    free(realloc(nil, 100))
    free(aligned_alloc(64, 128))
    var memory: UnsafeMutableRawPointer?
    let code = posix_memalign(&memory, 256, 100)
    let c = allocation_count_end()
    // Each of the six functions allocates once.
    #expect(c == 6)
    #expect(code == 0 && Int(bitPattern: memory) % 256 == 0)
    free(memory)
    free(text)
  }

  @Test func counterIgnoresAllocationsOutsideBeginAndEnd() {
    allocation_count_begin()
    #expect(allocation_count_end() == 0)
    free(malloc(100))
    #expect(allocation_count_end() == 0)
  }
}
