import CAllocationCount
import Glibc
import Testing

/// The counter itself: zero proves something only if it can be more.
@Suite struct AllocationCountTests {
  @Test func allocationsOfSwiftAndOfCAreCounted() {
    let text = strdup("inside the C library")!
    allocation_count_begin()
    let array = [Int](repeating: 1, count: 100)
    let swift = allocation_count_end()
    // One for the array, more when the runtime sees its type for the first time.
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
    #expect(c == 6)
    #expect(code == 0 && Int(bitPattern: memory) % 256 == 0)
    free(memory)
    free(text)
  }

  @Test func onlyWhatLiesBetweenIsCounted() {
    allocation_count_begin()
    #expect(allocation_count_end() == 0)
    free(malloc(100))
    #expect(allocation_count_end() == 0)
  }
}
