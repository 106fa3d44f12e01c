import MIDI
import Testing
import _TestSupport

/// Tests of the reader of Standard MIDI Files: the events of a track.
///
/// The byte numbers in the expected errors count from the beginning of the file. The content of the first track begins at byte 22
/// (``contentOffset``).
@Suite struct TrackReadingTests {
  private let channel = Channel(1)!

  /// The contents of the events of a track with the content `content`, hexadecimal.
  private func contents(_ content: String) throws -> [StandardMIDIFile.Event.Content] {
    try track(content).events.map(\.content)
  }

  @Test func exampleOfTheSpecificationIsRead() throws {
    let file = try StandardMIDIFile(bytes: specificationExample)
    let channels = [Channel(1)!, Channel(2)!, Channel(3)!]
    let events: [(Int64, StandardMIDIFile.Event.Content)] = [
      (0, .meta(.init(.init(4, 4)!))), (0, .meta(.init(microsecondsPerQuarter: 500_000)!)),
      (0, .message(.programChange(channels[0], program: 5))),
      (0, .message(.programChange(channels[1], program: 46))),
      (0, .message(.programChange(channels[2], program: 70))),
      (0, .message(.noteOn(channels[2], key: 48, velocity: 96))),
      (0, .message(.noteOn(channels[2], key: 60, velocity: 96))),
      (96, .message(.noteOn(channels[1], key: 67, velocity: 64))),
      (192, .message(.noteOn(channels[0], key: 76, velocity: 32))),
      (384, .message(.noteOff(channels[2], key: 48, velocity: 64))),
      (384, .message(.noteOff(channels[2], key: 60, velocity: 64))),
      (384, .message(.noteOff(channels[1], key: 67, velocity: 64))),
      (384, .message(.noteOff(channels[0], key: 76, velocity: 64))),
    ]
    let track = StandardMIDIFile.Track(events.map { .init(tick: $0, $1) }, end: 384)
    #expect(
      file == StandardMIDIFile(format: .singleTrack, division: .ticksPerQuarter(96), tracks: [track]))
  }

  /// The table of the specification, and a quantity with leading zeros.
  @Test func variableLengthQuantityHasUpToFourBytes() throws {
    let table: [(String, Int64)] = [
      ("00", 0), ("40", 0x40), ("7F", 0x7F), ("81 00", 0x80), ("C0 00", 0x2000), ("FF 7F", 0x3FFF),
      ("81 80 00", 0x4000), ("C0 80 00", 0x10_0000), ("FF FF 7F", 0x1F_FFFF), ("81 80 80 00", 0x20_0000),
      ("C0 80 80 00", 0x0800_0000), ("FF FF FF 7F", 0x0FFF_FFFF), ("80 80 80 05", 5),
    ]
    for (delta, tick) in table { #expect(try track("\(delta) C0 05").events.map(\.tick) == [tick], "\(delta)") }
    #expect(
      trackError("00 C0 05 80 80 80 80 05 C0 05")
        == "byte 25: found a delta time in more than four bytes; expected a fourth byte of hexadecimal 00...7F, not 80")
    #expect(
      trackError("00 FF 03 FF FF FF FF 7F")
        == "byte 25: found the length of a meta event in more than four bytes; expected a fourth byte of hexadecimal 00...7F, not FF"
    )
  }

  @Test func ticksAreAddedUp() throws {
    let track = try track("FF FF FF 7F C0 01 FF FF FF 7F 02 05 03 07 FF 2F 00")
    #expect(track.events.map(\.tick) == [0x0FFF_FFFF, 0x1FFF_FFFE, 0x2000_0003] && track.end == 0x2000_000A)
  }

  /// In a file, the status byte of Reset (FF) begins a meta event.
  @Test func everyMessageIsRead() throws {
    for message in everyMessage where message != .reset {
      let bytes = encoded(message).map { String($0, radix: 16) }.joined(separator: " ")
      #expect(try contents("00 \(bytes)") == [.message(message)])
    }
  }

  /// Running status remains valid after a meta event, although the specification cancels it: some files rely on running status there.
  @Test func runningStatusAppliesToFurtherDataBytes() throws {
    let contents = try contents("00 90 3C 01 00 3D 02 00 FF 01 00 00 3E 03 00 C0 05 00 06")
    #expect(
      contents == [
        .message(.noteOn(channel, key: 60, velocity: 1)), .message(.noteOn(channel, key: 61, velocity: 2)),
        .meta(.init(type: 1, bytes: [])), .message(.noteOn(channel, key: 62, velocity: 3)),
        .message(.programChange(channel, program: 5)), .message(.programChange(channel, program: 6)),
      ])
  }

  @Test func systemMessagesAndSystemExclusiveCancelRunningStatus() {
    for event in ["F0 01 F7", "F7 01 F8", "F2 01 02", "F3 01", "F6", "F8"] {
      #expect(trackError("00 C0 05 00 \(event) 00 06")?.contains("found data byte 06 without running status") == true)
    }
  }

  @Test func runningStatusBeginsAgainInEachTrack() {
    let bytes = header("00 01 00 02 00 60") + chunk("00 C0 05") + chunk("00 05")
    #expect(readError(bytes) == "byte 34: found data byte 05 without running status; expected a status byte, 80...FF")
    // A meta event begins no running status.
    #expect(trackError("00 FF 01 00 00 05")?.hasPrefix("byte 27: found data byte 05 without running status") == true)
  }

  @Test func undefinedStatusByteIsRejected() {
    for status in ["F4", "F5", "F9", "FD"] {
      #expect(
        trackError("00 \(status)")
          == "byte 23: found undefined status byte \(status); expected 80...F3, F6...F8, FA...FC, FE or FF")
    }
  }

  @Test func escapePacketOfOneSystemMessageIsAMessage() throws {
    for message in everyMessage where !message.isOfChannel {
      let bytes = encoded(message)
      let text = bytes.map { String($0, radix: 16) }.joined(separator: " ")
      #expect(try contents("00 F7 \(bytes.count) \(text)") == [.message(message)])
    }
    // Two messages; an incomplete and an invalid message; a channel message; two ends of a System Exclusive, and a complete one;
    // an undefined status byte; and nothing.
    let others: [[UInt8]] = [
      [0xF8, 0xF8], [0xF2, 1], [0xF2, 1, 0x80], [0x90, 60, 1], [0xF7], [1, 0xF7], [0xF0, 1, 0xF7], [0xF9], [],
    ]
    for bytes in others {
      let text = bytes.map { String($0, radix: 16) }.joined(separator: " ")
      #expect(try contents("00 F7 \(bytes.count) \(text)") == [.escape(bytes)])
    }
  }

  @Test func systemExclusiveKeepsItsBytes() throws {
    #expect(try contents("00 F0 05 7E 09 01 7F F7") == [.systemExclusive([0x7E, 9, 1, 0x7F, 0xF7])])
    // A message of three packets, as in the specification.
    #expect(
      try contents("00 F0 03 43 12 00 81 48 F7 06 43 12 00 43 12 00 64 F7 04 43 12 00 F7") == [
        .systemExclusive([0x43, 0x12, 0]), .escape([0x43, 0x12, 0, 0x43, 0x12, 0]), .escape([0x43, 0x12, 0, 0xF7]),
      ])
    // A repeated F0 is dropped.
    #expect(try contents("00 F0 03 F0 01 F7") == [.systemExclusive([1, 0xF7])])
    // An event without bytes. The F0 after it begins another event.
    #expect(try contents("00 F0 00 00 F0 01 F7") == [.systemExclusive([]), .systemExclusive([0xF7])])
  }

  /// Such an event is not used. The events after it are read.
  @Test func statusByteInSystemExclusiveCausesAWarning() throws {
    let rest = "in a SysEx event; the event is not used"
    let program = StandardMIDIFile.Event.Content.message(.programChange(channel, program: 5))
    for (event, found) in [
      ("F0 03 01 F8 F7", "F8"), ("F0 03 01 F7 02", "F7"), ("F0 02 01 80", "80"), ("F0 03 F0 F0 F7", "F0"),
    ] {
      var warnings = StandardMIDIFile.Warnings()
      let file = try StandardMIDIFile(bytes: header() + chunk("00 \(event) 10 C0 05 00 FF 2F 00"), &warnings)
      #expect(file.tracks[0].events == [.init(tick: 16, program)])
      #expect(warnings.first.map(\.description) == ["byte 26: found \(found) \(rest)"] && warnings.count == 1)
    }
  }

  /// A value above 7F is read as 7F. A message for a controller or a key above 7F is not used.
  @Test func dataByteAbove7FCausesAWarning() throws {
    var warnings = StandardMIDIFile.Warnings()
    let content = "00 B0 07 A8 00 90 85 40 00 90 24 80 00 C0 F0 00 C0 05 00 FF 2F 00"
    let file = try StandardMIDIFile(bytes: header() + chunk(content), &warnings)
    #expect(
      file.tracks[0].events.map(\.content) == [
        .message(.controlChange(channel, controller: 7, value: 127)),
        .message(.noteOn(channel, key: 36, velocity: 127)), .message(.programChange(channel, program: 5)),
      ])
    #expect(
      warnings.first.map(\.description) == [
        "byte 25: found A8 as a data byte; 7F is used", "byte 28: found 85 as a data byte; the message is not used",
        "byte 33: found 80 as a data byte; 7F is used", "byte 36: found F0 as a data byte; the message is not used",
      ])
    // Only the first ten warnings are stored.
    warnings = .init()
    let many = String(repeating: "00 B0 07 A8 ", count: 30)
    _ = try StandardMIDIFile(bytes: header() + chunk(many + "00 FF 2F 00"), &warnings)
    #expect(warnings.first.count == 10 && warnings.count == 30)
  }

  @Test func metaEventKeepsItsBytes() throws {
    #expect(
      try contents("00 FF 03 04 54 65 73 74 00 FF 00 00 00 FF 60 02 80 FF 00 FF F0 00 00 FF 59 02 08 05") == [
        .meta(.init(type: 3, bytes: Array("Test".utf8))), .meta(.init(type: 0, bytes: [])),
        .meta(.init(type: 0x60, bytes: [0x80, 0xFF])), .meta(.init(type: 0xF0, bytes: [])),
        // Eight sharps and an unknown mode.
        .meta(.init(type: 0x59, bytes: [8, 5])),
      ])
  }

  @Test func lengthOfAnEventIsCheckedBeforeItsBytesAreRead() {
    let limit = "expected at most 1, the number of bytes up to the end of the file"
    #expect(trackError("00 FF 03 FF FF FF 7F 41") == "byte 29: found length 268435455 of a meta event; \(limit)")
    #expect(trackError("00 F0 FF FF FF 7F 41") == "byte 28: found length 268435455 of a SysEx event; \(limit)")
    #expect(trackError("00 F7 FF FF FF 7F 41") == "byte 28: found length 268435455 of an F7 packet; \(limit)")
  }

  @Test func trackEndsAtEndOfTrack() throws {
    let program = StandardMIDIFile.Event(tick: 0, .message(.programChange(channel, program: 5)))
    #expect(try track("00 C0 05 40 FF 2F 00") == .init([program], end: 64))
    // The bytes after End of Track, and the content of the event End of Track, are ignored.
    #expect(try track("10 FF 2F 00 FF FF FF") == .init(end: 16))
    #expect(try track("10 FF 2F 02 FF FF") == .init(end: 16))
  }

  @Test func trackWithoutEndOfTrackEndsAtItsLastEvent() throws {
    #expect(try track("20 C0 05") == .init([.init(tick: 32, .message(.programChange(channel, program: 5)))], end: 32))
    #expect(try track("") == .init())
    #expect(trackError("20 C0 05 20") == "byte 26: found the end of the file; expected an event after the delta time")
    #expect(trackError("20 C0 05 81") == "byte 26: found the end of the file; expected a delta time")
  }

  @Test func numberOfEventsIsLimited() throws {
    let limit = StandardMIDIFile.maximumEvents
    /// A file of two tracks with `count` Program Changes, of which the first track has 1000.
    func file(_ count: Int) -> [UInt8] {
      let tracks = [1000, count - 1000].map { count -> [UInt8] in
        let content = hex("00 C0 05") + Array(repeating: [0, 5], count: count - 1).joined() + hex("00 FF 2F 00")
        return chunk("", length: UInt32(content.count)) + content
      }
      return header("00 01 00 02 00 60") + tracks[0] + tracks[1]
    }
    #expect(try StandardMIDIFile(bytes: file(limit)).tracks.reduce(0) { $0 + $1.events.count } == limit)
    // The error is at the data byte 05 of the last event, five bytes before the end of the file.
    let bytes = file(limit + 1)
    var count = 0
    _ = try StandardMIDIFile.forEachEvent(in: bytes) { _ in count += 1 }
    #expect(count == limit + 1)
    #expect(readError(bytes) == "byte \(bytes.count - 5): found more than 1048576 events; expected a shorter file")
  }

  @Test func eventsBeforeAFaultArePassed() {
    let content = hex("00 C0 05 20 C0 06 00 05 00 F4")
    let bytes = header() + chunk("", length: UInt32(content.count)) + content
    var ticks: [Int64] = []
    let error = #expect(throws: StandardMIDIFile.ReadError.self) {
      try StandardMIDIFile.forEachEvent(in: bytes) { ticks.append($0.tick) }
    }
    #expect(ticks == [0, 32, 32])
    #expect(error?.offset == bytes.count - 1)
  }
}
