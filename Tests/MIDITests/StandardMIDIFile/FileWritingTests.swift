import MIDI
import Testing
import _TestSupport

/// Tests of the writer of Standard MIDI Files.
@Suite struct FileWritingTests {
  private let channel = Channel(1)!

  /// The description of the error for a file with one track; nil if it can be written.
  private func writeError(_ track: StandardMIDIFile.Track) -> String? { writeError([track]) }

  /// The description of the error for a file with these tracks; nil if it can be written.
  private func writeError(
    _ tracks: [StandardMIDIFile.Track], format: StandardMIDIFile.Format = .simultaneousTracks,
    division: StandardMIDIFile.Division = .ticksPerQuarter(96)
  ) -> String? {
    do throws(StandardMIDIFile.WriteError) {
      _ = try StandardMIDIFile(format: format, division: division, tracks: tracks).bytes()
      return nil
    } catch {
      return error.description
    }
  }

  /// The bytes of a file with one track.
  private func bytes(_ contents: [StandardMIDIFile.Event.Content], usingRunningStatus: Bool = true) throws -> [UInt8] {
    try StandardMIDIFile(
      format: .simultaneousTracks, division: .ticksPerQuarter(96), tracks: [.init(contents.map { .init(tick: 0, $0) })]
    ).bytes(usingRunningStatus: usingRunningStatus)
  }

  @Test func exampleOfTheSpecificationIsWritten() throws {
    let file = try StandardMIDIFile(bytes: specificationExample)
    #expect(try file.bytes() == specificationExample)
    // Without running status, the two notes that omit their status byte are one byte longer.
    let long = try file.bytes(usingRunningStatus: false)
    #expect(try long.count == specificationExample.count + 2 && StandardMIDIFile(bytes: long) == file)
  }

  @Test func otherEventsCancelRunningStatus() throws {
    let program = StandardMIDIFile.Event.Content.message(.programChange(channel, program: 5))
    let contents: [StandardMIDIFile.Event.Content] = [
      program, program, .meta(.init(type: 1, bytes: [])), program, .systemExclusive([0xF7]), program, .escape([]),
      program, .message(.clock), program, .message(.channelPressure(channel, pressure: 5)), program, program,
    ]
    #expect(
      try bytes(contents)
        == header()
        + chunk(
          """
          00 C0 05 00 05 00 FF 01 00 00 C0 05 00 F0 01 F7 00 C0 05 00 F7 00 00 C0 05 00 F7 01 F8 00 C0 05 00 D0 05
          00 C0 05 00 05 00 FF 2F 00
          """))
    #expect(
      try bytes([program, program], usingRunningStatus: false)
        == header() + chunk("00 C0 05 00 C0 05 00 FF 2F 00"))
  }

  @Test func everyMessageIsReadAgain() throws {
    let contents = everyMessage.map { StandardMIDIFile.Event.Content.message($0) }
    #expect(try StandardMIDIFile(bytes: bytes(contents)).tracks[0].events.map(\.content) == contents)
    // System messages are written as escape packets.
    #expect(try bytes([.message(.songPosition(129))]) == header() + chunk("00 F7 03 F2 01 01 00 FF 2F 00"))
  }

  @Test func ticksAreWrittenAsDifferences() throws {
    let program = StandardMIDIFile.Event.Content.message(.programChange(channel, program: 5))
    let ticks: [Int64] = [0, 0x7F, 0x7F + 0x80, 0x7F + 0x80 + 0x3FFF, 0x7F + 0x80 + 0x3FFF + 0x4000]
    let track = StandardMIDIFile.Track(ticks.map { .init(tick: $0, program) }, end: ticks[4] + 0x0FFF_FFFF)
    let file = StandardMIDIFile(format: .simultaneousTracks, division: .ticksPerQuarter(96), tracks: [track])
    #expect(
      try file.bytes()
        == header() + chunk("00 C0 05 7F 05 81 00 05 FF 7F 05 81 80 00 05 FF FF FF 7F FF 2F 00"))
  }

  @Test func trackEndsAtItsLastEventByDefault() {
    let events: [StandardMIDIFile.Event] = [.init(tick: 3, .message(.clock)), .init(tick: 5, .message(.clock))]
    #expect(StandardMIDIFile.Track(events).end == 5 && StandardMIDIFile.Track(events, end: 7).end == 7)
    #expect(StandardMIDIFile.Track().end == 0)
  }

  @Test func invalidFileIsRejected() {
    let range = "use 1...32767 ticks per quarter note or 1...255 ticks per frame"
    for division: StandardMIDIFile.Division in [
      .ticksPerQuarter(0), .ticksPerQuarter(32768), .ticksPerQuarter(.min), .timeCode(.frames25, ticksPerFrame: 0),
      .timeCode(.frames25, ticksPerFrame: 256), .timeCode(.frames25, ticksPerFrame: -1),
    ] {
      #expect(writeError([], division: division) == "file: \(division) is out of range; \(range)")
    }
    let empty = StandardMIDIFile.Track()
    #expect(writeError([], format: .singleTrack) == "file: 0 tracks in format 0; use one track, or format 1")
    let two = writeError([empty, empty], format: .singleTrack)
    #expect(two == "file: 2 tracks in format 0; use one track, or format 1")
    #expect(writeError(Array(repeating: empty, count: 65535)) == nil)
    #expect(writeError(Array(repeating: empty, count: 65536)) == "file: 65536 tracks; use at most 65535")
  }

  @Test func invalidTickIsRejected() {
    let clock = StandardMIDIFile.Event.Content.message(.clock)
    func track(_ ticks: Int64..., end: Int64) -> StandardMIDIFile.Track {
      StandardMIDIFile.Track(ticks.map { .init(tick: $0, clock) }, end: end)
    }
    let sort = "sort the events by tick, from 0 on"
    #expect(
      writeError([.init(), track(0, 4, 3, end: 4)])
        == "track 1, event 2: tick 3 is before tick 4 of the previous event; \(sort)")
    #expect(
      writeError(track(-1, end: 0)) == "track 0, event 0: tick -1 is before tick 0 of the previous event; \(sort)")
    #expect(writeError(track(.min, end: 0)) != nil)
    #expect(
      writeError(track(5, end: 4))
        == "track 0: the end at tick 4 is before the last event at tick 5; use 5 or more")
    #expect(
      writeError(track(1, 0x1000_0001, end: .max))
        == "track 0, event 1: 268435456 ticks after the previous event; use at most 268435455 ticks")
    #expect(writeError(track(end: .max))?.hasPrefix("track 0: 9223372036854775807 ticks") == true)
  }

  @Test func invalidContentIsRejected() {
    let table: [(StandardMIDIFile.Event.Content, String)] = [
      (.systemExclusive([1, 0xF8, 0xF7]), "SysEx byte 1 is F8; use data bytes 00...7F, and F7 at the end"),
      (.systemExclusive([0xF0, 1, 0xF7]), "SysEx byte 0 is F0; use data bytes 00...7F, and F7 at the end"),
      (.escape([0xF8]), "an escape packet contains just one system message; use the content .message instead"),
      (.meta(.init(type: 0x2F, bytes: [])), "End of Track among the events; set the end of the track instead"),
    ]
    for (content, reason) in table {
      #expect(writeError(.init([.init(tick: 0, content)])) == "track 0, event 0: \(reason)")
    }
  }

  @Test func sizeIsLimited() {
    let limit = StandardMIDIFile.maximumBytes
    /// The track of a file with one meta event of `count` bytes. The file takes 33 bytes more: the header 14, the header of the chunk 8,
    /// the event 7, and End of Track 4.
    func tracks(_ count: Int) -> [StandardMIDIFile.Track] {
      [.init([.init(tick: 0, .meta(.init(type: 1, bytes: Array(repeating: 0, count: count))))])]
    }
    #expect(writeError(tracks(limit - 33)) == nil)
    // The size is checked after each track, after each event, and for the content of an event. Each check has its own error.
    #expect(
      writeError(tracks(limit - 32))
        == "file: too many bytes up to track 0; use at most 33554432 bytes for the file")
    #expect(writeError(tracks(limit)) == "track 0, event 0: the file is too large; use at most 33554432 bytes")
    #expect(writeError(tracks(limit + 1)) == "track 0, event 0: 33554433 bytes; use at most 33554432")
    let program = StandardMIDIFile.Event(tick: 0, .message(.programChange(channel, program: 5)))
    let many = StandardMIDIFile.Track(Array(repeating: program, count: StandardMIDIFile.maximumEvents))
    #expect(writeError(many) == nil)
    #expect(writeError([many, .init([program])]) == "file: too many events; use at most 1048576")
  }
}
