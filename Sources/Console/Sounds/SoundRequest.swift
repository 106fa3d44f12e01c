import Audio
import Engine
import Rhythm

/// The sounds that a page needs: the drums of patches, the clicks of the count-in, keys of the pitched parts, and the instruments
/// of the page.
struct SoundRequest: Equatable {
  /// A sound, and the maximum length of its sample in milliseconds.
  struct Entry: Hashable {
    var sound: SampleRenderer.Sound
    var milliseconds: Int
  }

  /// The distance of the sampled keys of a pitched sound in semitones. The page transposes a sample by at most half this distance.
  static let keyDistance = 4
  /// The maximum lengths of the samples in milliseconds.
  private static let (drumLength, partLength, instrumentLength) = (2500, 2500, 1800)
  /// High and low wood block, the clicks of the count-in; claves, the click of a calibration.
  private static let clicks: [UInt8] = [76, 77, 75]

  let entries: [Entry]

  /// The sounds of `patches`.
  init(_ patches: [Patch]) {
    var entries = (patches.flatMap(\.kit).map(\.note) + Self.clicks).map {
      Entry(sound: .drum($0), milliseconds: Self.drumLength)
    }
    for part in patches.flatMap(\.parts) {
      entries += Self.tones(part.program, part.range, milliseconds: Self.partLength)
    }
    for instrument in PageInstrument.all {
      entries += Self.tones(instrument.program, instrument.range, milliseconds: Self.instrumentLength)
      entries += instrument.drums.map { Entry(sound: .drum($0), milliseconds: Self.drumLength) }
    }
    var seen: Set<SampleRenderer.Sound> = []
    self.entries = entries.filter { seen.insert($0.sound).inserted }
  }

  /// The sampled keys of a program for all keys in `range`.
  private static func tones(_ program: UInt8, _ range: ClosedRange<UInt8>, milliseconds: Int) -> [Entry] {
    // The first and the last key lie within half a distance of the ends of the range.
    stride(
      from: Int(range.lowerBound) + keyDistance / 2, to: Int(range.upperBound) + keyDistance / 2 + 1, by: keyDistance
    )
    .map { Entry(sound: .tone(program: program, key: UInt8(min($0, 127))), milliseconds: milliseconds) }
  }
}
