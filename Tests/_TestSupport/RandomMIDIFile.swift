public import MIDI
import Simulation

/// Random Standard MIDI Files from a seed, with all kinds of events.
public struct RandomMIDIFile {
  private typealias MetaEvent = StandardMIDIFile.MetaEvent

  private var random: SplitMix

  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Returns another file, of up to 4 tracks with up to 60 events each.
  public mutating func next() -> StandardMIDIFile {
    let format = StandardMIDIFile.Format.allCases[pick(3)]
    let division: StandardMIDIFile.Division =
      pick(3) == 0
      ? .timeCode(StandardMIDIFile.Division.FrameRate.allCases[pick(4)], ticksPerFrame: 1 + pick(255))
      : .ticksPerQuarter(pick(2) == 0 ? 480 : 1 + pick(32767))
    let count = format == .singleTrack ? 1 : pick(5)
    return StandardMIDIFile(format: format, division: division, tracks: (0..<count).map { _ in track() })
  }

  private mutating func track() -> StandardMIDIFile.Track {
    var track = StandardMIDIFile.Track()
    // Most channel messages of a track have this status byte, so that running status occurs.
    let status = UInt8(0x80 + pick(0x70))
    for _ in 0..<pick(61) {
      track.end += Int64(delta())
      track.events.append(StandardMIDIFile.Event(tick: track.end, content(status)))
    }
    if pick(2) == 0 { track.end += Int64(delta()) }
    return track
  }

  /// Returns a delta time. Half of the values are 0. The others take one to four bytes in a file.
  private mutating func delta() -> Int { pick(2) == 0 ? 0 : pick(1 << (7 * (1 + pick(4)))) }

  /// Returns the content of an event.
  ///
  /// - Parameter status: the status byte of most channel messages of the track.
  private mutating func content(_ status: UInt8) -> StandardMIDIFile.Event.Content {
    switch pick(12) {
    case 0...3: return .message(message(status))
    case 4: return .message(message(UInt8(0x80 + pick(0x70))))
    case 5:
      let statuses: [UInt8] = [0xF1, 0xF2, 0xF3, 0xF6, 0xF8, 0xFA, 0xFB, 0xFC, 0xFE, 0xFF]
      return .message(message(statuses[pick(statuses.count)]))
    case 6: return .systemExclusive(octets(below: 0x80) + (pick(3) == 0 ? [] : [0xF7]))
    // The content begins with 0 or F7, so it is not a system message. The reader of the file would read a system message as a `.message`.
    case 7: return .escape([pick(2) == 0 ? 0 : 0xF7] + octets(below: 0x100))
    case 8:
      // Any type except End of Track.
      let type = UInt8(pick(256))
      return .meta(MetaEvent(type: type == 0x2F ? 0x30 : type, bytes: octets(below: 0x100)))
    default: return .meta(definedMetaEvent())
    }
  }

  private mutating func message(_ status: UInt8) -> Message {
    Message(status: status, UInt7(masking: UInt8(pick(128))), UInt7(masking: UInt8(pick(128))))!
  }

  /// Returns a meta event that the specification defines, with valid content.
  private mutating func definedMetaEvent() -> MetaEvent {
    switch pick(9) {
    case 0: MetaEvent(microsecondsPerQuarter: 1 + pick(0xFF_FFFF))!
    case 1: MetaEvent(StandardMIDIFile.TimeSignature(1 + pick(255), 1 << pick(6), clocksPerClick: pick(256))!)
    case 2: MetaEvent(trackName: String(repeating: "n", count: pick(300)))
    // Key Signature: 7 flats (-7, which is F9) to 7 sharps (7), major or minor.
    case 3: MetaEvent(type: 0x59, bytes: [UInt8(truncatingIfNeeded: pick(15) - 7), UInt8(pick(2))])
    // SMPTE Offset: frame rate and hours, minutes, seconds, frames, hundredths of a frame.
    case 4:
      MetaEvent(
        type: 0x54,
        bytes: [UInt8(pick(4) << 5 | pick(24)), UInt8(pick(60)), UInt8(pick(60)), UInt8(pick(30)), UInt8(pick(100))])
    // Sequence Number.
    case 5: MetaEvent(type: 0x00, bytes: [octet(), octet()])
    // Channel Prefix and MIDI Port.
    case 6: MetaEvent(type: UInt8(0x20 + pick(2)), bytes: [UInt8(pick(16))])
    // Sequencer-specific.
    case 7: MetaEvent(type: 0x7F, bytes: octets(below: 0x100))
    // Text events.
    default: MetaEvent(type: UInt8(1 + pick(7)), bytes: octets(below: 0x100))
    }
  }

  /// Returns up to 19 random octets below `limit`. In one of ten cases, there are up to 199, so that their number can take two bytes in
  /// a file.
  private mutating func octets(below limit: Int) -> [UInt8] {
    (0..<pick(pick(10) == 0 ? 200 : 20)).map { _ in UInt8(pick(limit)) }
  }

  private mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
  /// Returns a random number in 0..<count.
  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
