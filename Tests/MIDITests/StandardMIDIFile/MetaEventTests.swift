import MIDI
import Testing

/// Tests of the typed contents of meta events.
@Suite struct MetaEventTests {
  private typealias MetaEvent = StandardMIDIFile.MetaEvent
  private typealias TimeSignature = StandardMIDIFile.TimeSignature

  @Test func tempoIsTheDurationOfAQuarterNote() {
    #expect(MetaEvent(type: 0x51, bytes: [0x07, 0xA1, 0x20]).microsecondsPerQuarter == 500_000)
    // Excess bytes are ignored.
    #expect(MetaEvent(type: 0x51, bytes: [0xFF, 0xFF, 0xFF, 1]).microsecondsPerQuarter == 16_777_215)
    // Too few bytes, or a duration of 0, give no tempo.
    for bytes: [UInt8] in [[], [7, 0xA1], [0, 0, 0]] {
      #expect(MetaEvent(type: 0x51, bytes: bytes).microsecondsPerQuarter == nil)
    }
    // A time signature (type 0x58) is no tempo.
    #expect(MetaEvent(type: 0x58, bytes: [7, 0xA1, 0x20, 8]).microsecondsPerQuarter == nil)
    #expect(MetaEvent(microsecondsPerQuarter: 500_000) == MetaEvent(type: 0x51, bytes: [0x07, 0xA1, 0x20]))
    for duration in [1, 16_777_215] {
      #expect(MetaEvent(microsecondsPerQuarter: duration)?.microsecondsPerQuarter == duration)
    }
    for duration in [Int.min, -1, 0, 16_777_216, .max] { #expect(MetaEvent(microsecondsPerQuarter: duration) == nil) }
  }

  @Test func timeSignatureHasFourNumbers() throws {
    let bytes: [UInt8] = [6, 3, 36, 8]
    let signature = try #require(TimeSignature(6, 8, clocksPerClick: 36))
    #expect(MetaEvent(type: 0x58, bytes: bytes + [0]).timeSignature == signature)
    #expect(MetaEvent(signature) == MetaEvent(type: 0x58, bytes: bytes))
    #expect(signature.numerator == 6 && signature.denominator == 8 && signature.clocksPerClick == 36)
    #expect(signature.thirtySecondsPerQuarter == 8)
    // Too few bytes, numerator 0, and denominators from 65536 on.
    for bytes: [UInt8] in [[], [4, 2, 24], [0, 2, 24, 8]] + [16, 63, 64, 255].map({ [4, $0, 24, 8] }) {
      #expect(MetaEvent(type: 0x58, bytes: bytes).timeSignature == nil)
    }
    #expect(MetaEvent(type: 0x51, bytes: bytes).timeSignature == nil)
    for exponent in 0...15 {
      #expect(MetaEvent(type: 0x58, bytes: [255, UInt8(exponent), 0, 255]).timeSignature?.denominator == 1 << exponent)
    }
  }

  @Test func timeSignatureOutOfRangeDoesNotExist() {
    for (numerator, denominator) in [(0, 4), (256, 4), (4, 0), (4, 3), (4, -4), (4, 65536), (4, Int.min)] {
      #expect(TimeSignature(numerator, denominator) == nil, "\(numerator)/\(denominator)")
    }
    for count in [-1, 256] {
      #expect(TimeSignature(4, 4, clocksPerClick: count) == nil)
      #expect(TimeSignature(4, 4, thirtySecondsPerQuarter: count) == nil)
    }
  }

  @Test func textIsUTF8OrLatin1() {
    #expect(MetaEvent(type: 3, bytes: Array("Bässe".utf8)).trackName == "Bässe")
    // E4 is a lower-case a with diaeresis in Latin-1. Before "s", E4 is not valid UTF-8.
    #expect(MetaEvent(type: 3, bytes: [0x42, 0xE4, 0x73, 0x73, 0x65]).trackName == "Bässe")
    #expect(MetaEvent(trackName: "Bässe") == MetaEvent(type: 3, bytes: Array("Bässe".utf8)))
    #expect(MetaEvent(type: 1, bytes: [0x41]).text == "A" && MetaEvent(type: 15, bytes: []).text == "")
    #expect(MetaEvent(type: 1, bytes: [0x41]).trackName == nil)
    #expect(MetaEvent(type: 0, bytes: [0x41]).text == nil && MetaEvent(type: 16, bytes: [0x41]).text == nil)
  }

  @Test func trackNameIsTheFirstOfItsTrack() {
    let events = [MetaEvent(type: 1, bytes: [0x41]), MetaEvent(trackName: "Bass"), MetaEvent(trackName: "Lead")]
    #expect(StandardMIDIFile.Track(events.map { .init(tick: 0, .meta($0)) }).name == "Bass")
    #expect(StandardMIDIFile.Track().name == nil)
  }
}
