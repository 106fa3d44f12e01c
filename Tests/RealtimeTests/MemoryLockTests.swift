import Foundation
import Synchronization
import Testing

@testable import Realtime

/// Tests of memory that the kernel keeps resident, so that real-time threads cause no page faults.
@Suite struct MemoryLockTests {
  /// The kernel reports the setting in /proc/self/status since Linux 5.0.
  @Test func hugePagesAreDisabled() throws {
    MemoryLock.disableHugePages()
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("THP_enabled:") })
    #expect(line.hasSuffix("0"))
  }

  /// Returns whether all pages of the `count` octets from `start` on are resident.
  private static func isResident(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
    // `mincore` needs the beginning of a page of 4096 octets. It writes one octet per page, whose bit 0 is 1 if the page is resident.
    let first = Int(bitPattern: start) & ~4095
    let length = Int(bitPattern: start) + count - first
    var pages = [UInt8](repeating: 0, count: (length + 4095) / 4096)
    return mincore(UnsafeMutableRawPointer(bitPattern: first), length, &pages) == 0 && pages.allSatisfy { $0 & 1 == 1 }
  }

  /// The test checks the stack below the body of the thread. It leaves out the top of the stack, at most 64 KiB, which contains data of
  /// the C library and the frames that call the body.
  @Test func stackOfARealtimeThreadIsResident() {
    let result = Mutex(false)
    let thread = RealtimeThread(name: "resident", priority: 1) {
      var local: UInt8 = 0
      let used = 64 << 10
      withUnsafePointer(to: &local) { place in
        let lowest = UnsafeRawPointer(place) - (RealtimeThread.stackSize - used)
        result.withLock { $0 = Self.isResident(lowest, RealtimeThread.stackSize - used) }
      }
    }
    thread.join()
    #expect(result.withLock { $0 })
  }

  @Test func slotsOfANewRingAreResident() {
    // 2^19 elements of 8 octets are 4 MB. The allocator takes so much memory directly from the kernel, so earlier use of the memory
    // cannot have made its pages resident.
    let ring = SPSCRing<Int>(capacity: 1 << 19)
    #expect(Self.isResident(ring.slots, ring.capacity * MemoryLayout<Int>.stride))
  }

  /// The code of the C library is completely resident. Without the lock, only the pages that this process has used would be resident.
  @Test func codeOfTheCLibraryIsResident() throws {
    MemoryLock.lockCode()
    // The size of files in /proc is 0, so they are read in parts until their end.
    let file = try #require(fopen("/proc/self/smaps", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    var (isCode, size, resident, mappings) = (false, "", "", 0)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      // The first line of a mapping contains its address range, its permissions and its file.
      if text.contains("-") && text.contains(" r") { isCode = text.contains("r-xp") && text.contains("/libc.so") }
      if isCode, text.hasPrefix("Size:") { size = text.filter(\.isNumber) }
      if isCode, text.hasPrefix("Rss:") {
        resident = text.filter(\.isNumber)
        mappings += 1
        #expect(size == resident, "\(size) kB, \(resident) kB resident")
      }
    }
    #expect(mappings >= 1)
  }

  /// Code that no real-time thread uses takes no memory after the lock, here that of Foundation. All of it is read before, because other
  /// tests may have released it.
  @Test func otherCodeIsReleased() throws {
    let maps = try Self.lines(of: "/proc/self/maps")
    let line = try #require(maps.first { $0.contains("r-xp") && $0.hasSuffix("/libFoundation.so") })
    let ends = line.prefix { $0 != " " }.split(separator: "-").map { Int($0, radix: 16)! }
    let start = try #require(UnsafeMutableRawPointer(bitPattern: ends[0]))
    let (size, page) = (ends[1] - ends[0], Int(getpagesize()))
    var sum: UInt8 = 0
    for offset in stride(from: 0, to: size, by: page) { sum &+= start.load(fromByteOffset: offset, as: UInt8.self) }
    MemoryLock.releaseOtherCode()
    let smaps = try Self.lines(of: "/proc/self/smaps")
    let first = try #require(smaps.firstIndex(of: line))
    let resident = try #require(smaps[first...].first { $0.hasPrefix("Rss:") })
    // In kB. Other tests use a part of the code at the same time.
    #expect(Int(resident.filter(\.isNumber))! < size / 1024 / 2, "\(resident) of \(size / 1024) kB, \(sum)")
  }

  /// The lines of a file in /proc. Its size is 0, so it is read in parts until its end.
  private static func lines(of path: String) throws -> [String] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var (lines, line) = ([String](), [CChar](repeating: 0, count: 4096))
    while fgets(&line, Int32(line.count), file) != nil {
      lines.append(line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.trimmingCharacters(in: .newlines))
    }
    return lines
  }
}
