import Foundation
import Realtime
import Testing

@Suite struct FrozenTableTests {
  private struct Note: BitwiseCopyable, Equatable, Sendable {
    var tick: Int32
    var key: UInt8
  }

  @Test func elementsAreThoseOfTheArray() {
    for count in [0, 1, 2, 1000] {
      let notes = (0..<count).map { Note(tick: Int32($0 * 3), key: UInt8($0 % 128)) }
      let table = FrozenTable(notes)
      #expect(table.count == count && (0..<count).map { table[$0] } == notes)
      table.free()
    }
  }

  /// The table does not change with the array from which it was made.
  @Test func tableIsACopy() {
    var numbers: [Int64] = [1, 2, 3]
    let table = FrozenTable(numbers)
    numbers[1] = 9
    #expect(table[1] == 2)
    table.free()
  }

  @Test func emptyTableNeedsNoMemory() {
    let table = FrozenTable<Int64>()
    #expect(table.count == 0)
    // Without memory, it may be freed any number of times.
    table.free()
    table.free()
  }

  /// The memory is returned: 200 tables of 4 MB would otherwise need 800 MB.
  @Test func memoryIsFreed() throws {
    func residentPages() throws -> Int {
      // The second field is the number of resident pages.
      let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return try #require(Int(fields[1]))
    }
    let numbers = [Int64](0..<500_000)
    let before = try residentPages()
    var sum: Int64 = 0
    for _ in 0..<200 {
      let table = FrozenTable(numbers)
      sum += table[499_999]
      table.free()
    }
    #expect(sum == 200 * 499_999)
    // A page has 4 kB. Other tests of the process run at the same time, so the limit is a quarter of what 200 tables need.
    #expect(try residentPages() - before < 50_000)
  }
}
