import MIDI
import Testing
import _TestSupport

/// Tests of the reader and the writer of Standard MIDI Files with random files.
@Suite struct FileRoundTripTests {
  @Test(arguments: UInt64(1)...50) func writtenFileIsReadAsTheSameFile(seed: UInt64) throws {
    var random = RandomMIDIFile(seed: seed)
    for number in 0..<20 {
      let file = random.next()
      let short = try file.bytes()
      let long = try file.bytes(usingRunningStatus: false)
      #expect(try StandardMIDIFile(bytes: short) == file, "seed \(seed), file \(number)")
      #expect(try StandardMIDIFile(bytes: long) == file, "seed \(seed), file \(number)")
      #expect(try file.bytes() == short && short.count <= long.count, "seed \(seed), file \(number)")
    }
  }

  /// The random files contain all kinds of content, all formats, and running status.
  @Test func randomFilesCoverTheFormat() throws {
    var random = RandomMIDIFile(seed: 1)
    let files = (0..<200).map { _ in random.next() }
    let contents = files.flatMap(\.tracks).flatMap(\.events).map(\.content)
    var counts = [0, 0, 0, 0, 0]
    for content in contents {
      switch content {
      case .message(let message): counts[message.isOfChannel ? 0 : 1] += 1
      case .systemExclusive: counts[2] += 1
      case .escape: counts[3] += 1
      case .meta: counts[4] += 1
      }
    }
    #expect(counts.allSatisfy { $0 > 500 }, "\(counts)")
    #expect(Set(files.map(\.format)).count == 3 && Set(files.map(\.division)).count > 50)
    let saved = try files.reduce(0) { try $0 + $1.bytes(usingRunningStatus: false).count - $1.bytes().count }
    #expect(saved > 500, "running status saves \(saved) bytes")
  }

  /// Damaged files are read or rejected. A file that is read is written and read again unchanged.
  @Test(arguments: UInt64(1)...20) func damagedFileIsReadOrRejected(seed: UInt64) throws {
    var random = RandomMIDIFile(seed: seed)
    var mutator = Mutator(seed: seed)
    var (read, rejected) = (0, 0)
    for number in 0..<40 {
      let bytes = try random.next().bytes()
      let other = try random.next().bytes()
      // In half of the files, only the bytes after the header (14 bytes) are damaged.
      for damage in 0..<10 {
        var damaged = bytes
        for _ in 0...damage % 3 {
          mutator.mutate(&damaged, from: damage % 2 == 0 ? 0 : min(14, damaged.count), splicing: other)
        }
        do throws(StandardMIDIFile.ReadError) {
          let file = try StandardMIDIFile(bytes: damaged)
          read += 1
          // An event takes at least two bytes.
          let eventCount = file.tracks.reduce(0) { $0 + $1.events.count }
          #expect(eventCount <= damaged.count / 2, "seed \(seed), file \(number)")
          let written = try? file.bytes()
          let readAgain = written.flatMap { try? StandardMIDIFile(bytes: $0) }
          #expect(readAgain == file, "seed \(seed), file \(number)")
        } catch {
          rejected += 1
          #expect((0...damaged.count).contains(error.offset), "seed \(seed), file \(number): \(error)")
        }
      }
    }
    #expect(read > 50 && rejected > 50, "seed \(seed): \(read) read, \(rejected) rejected")
  }

  /// The track consists of random bytes after a valid header.
  @Test(arguments: UInt64(1)...10) func randomTrackIsReadOrRejected(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    // Half of the bytes are chosen from these values: delta times, status bytes and types of meta events. The other bytes are random
    // data bytes.
    let special: [UInt8] = [0, 0x7F, 0x80, 0x90, 0xC0, 0xF0, 0xF7, 0xF8, 0xFF, 0x2F, 0x51]
    var read = 0
    for number in 0..<2000 {
      let content = (0..<random.integer(in: 0...30)).map { _ in
        random.integer(in: 0...1) == 0 ? special.randomElement(using: &random)! : UInt8(random.integer(in: 0...127))
      }
      // Half of the tracks have a length that is too large.
      let length = UInt32(content.count) + UInt32(number % 2)
      let bytes = header() + chunk("", length: length) + content
      guard let file = try? StandardMIDIFile(bytes: bytes) else { continue }
      read += 1
      #expect(try StandardMIDIFile(bytes: file.bytes()) == file, "seed \(seed), track \(number)")
    }
    #expect(read > 20, "seed \(seed): \(read) read")
  }
}
