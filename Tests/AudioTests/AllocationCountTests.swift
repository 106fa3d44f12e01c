import CAllocationCount
import Glibc
import Testing

/// Tests of the allocation counter, with which other tests show that code allocates no memory.
@Suite struct AllocationCountTests {
  @Test func counterCountsAllocationsOfSwiftAndC() {
    let text = strdup("inside the C library")!
    allocation_count_begin()
    let array = [Int](repeating: 1, count: 100)
    let swift = allocation_count_end()
    // The array takes one allocation. The runtime may make more when it uses the type of the array for the first time.
    #expect(swift >= 1 && array.count == 100)

    var blocks = [UnsafeMutableRawPointer?](repeating: nil, count: 6)
    allocation_count_begin()
    blocks[0] = UnsafeMutableRawPointer(strdup(text))
    blocks[1] = malloc(100)
    blocks[2] = calloc(3, 100)
    blocks[3] = realloc(nil, 100)
    blocks[4] = aligned_alloc(64, 128)
    let code = posix_memalign(&blocks[5], 256, 100)
    let c = allocation_count_end()
    // Each of the six functions allocates once.
    #expect(c == 6)
    #expect(code == 0 && Int(bitPattern: blocks[5]) % 256 == 0)
    // The addresses are used, so that the compiler cannot remove the allocations.
    #expect(Set(blocks).count == 6 && !blocks.contains(nil))
    for block in blocks { free(block) }
    free(text)
  }

  @Test func counterIgnoresAllocationsOutsideBeginAndEnd() {
    allocation_count_begin()
    #expect(allocation_count_end() == 0)
    // The count has ended, so this allocation is not counted.
    let text = strdup("outside the count")!
    #expect(allocation_count_end() == 0)
    #expect(String(cString: text) == "outside the count")
    free(text)
  }
}
