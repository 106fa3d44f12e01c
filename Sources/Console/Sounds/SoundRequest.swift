import Audio
import Engine
import Rhythm

/// The sounds that the pages need: the drums and pitched parts of patches, the clicks of the count-in and of a calibration, and the
/// instruments of the page.
struct SoundRequest: Equatable {
  /// A sound, and the maximum length of its sample in milliseconds.
  struct Entry: Hashable {
    var sound: SampleRenderer.Sound
    var milliseconds: Int
  }

  /// The distance in semitones between two sampled keys of a program. For the keys in between, the page transposes a sample by at most
  /// half this distance.
  static let keyDistance = 6
  /// The maximum lengths of the samples in milliseconds.
  private static let (drumLength, partLength, instrumentLength) = (2500, 2500, 1800)
  /// The General MIDI notes of the high and the low wood block, which are the clicks of the count-in, and of the claves, which are the
  /// click of a calibration.
  private static let clicks: [UInt8] = [76, 77, 75]

  /// The sounds that every page loads.
  let entries: [Entry]
  /// The further sounds of the instruments of the patch folders. A page loads those of an instrument when its player chooses it.
  let furtherEntries: [Entry]
  /// The instruments that the pages offer.
  let instruments: [PageInstrument]

  /// Collects the sounds for `patches`, for the instruments of the page, and for the instruments `custom` of the patch folders.
  init(_ patches: [Patch], custom: [PageInstrument] = []) {
    var entries = (patches.flatMap(\.kit).map(\.note) + Self.clicks).map {
      Entry(sound: .drum($0), milliseconds: Self.drumLength)
    }
    for part in patches.flatMap(\.parts) {
      entries += Self.tones(part.program, part.range, milliseconds: Self.partLength)
    }
    for instrument in PageInstrument.all {
      if instrument.drums.isEmpty {
        entries += Self.tones(instrument.program, instrument.range, milliseconds: Self.instrumentLength)
      }
      entries += instrument.drums.map { Entry(sound: .drum($0), milliseconds: Self.drumLength) }
    }
    var seen: Set<SampleRenderer.Sound> = []
    self.entries = entries.filter { seen.insert($0.sound).inserted }
    furtherEntries = custom.flatMap { Self.tones($0.program, $0.range, milliseconds: Self.instrumentLength) }
      .filter { seen.insert($0.sound).inserted }
    instruments = PageInstrument.all + custom
  }

  /// The sounds of a program from which the page can play all keys in `range`.
  private static func tones(_ program: UInt8, _ range: ClosedRange<UInt8>, milliseconds: Int) -> [Entry] {
    // Each end of the range is at most half of `keyDistance` away from a sampled key.
    stride(
      from: Int(range.lowerBound) + keyDistance / 2, to: Int(range.upperBound) + keyDistance / 2 + 1, by: keyDistance
    )
    .map { Entry(sound: .tone(program: program, key: UInt8(min($0, 127))), milliseconds: milliseconds) }
  }
}
