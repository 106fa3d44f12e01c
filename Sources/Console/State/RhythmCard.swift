import Measurement
import MusicalTime
public import Rhythm

/// A rhythm of the library, as the page shows it on a card: its name, meter and tempo, and its print, a small picture of the pattern.
public struct RhythmCard: Sendable, Encodable {
  /// The largest number of rows of the print.
  static let maximumRows = 6
  /// The total activity of the print.
  static let activity: UInt8 = 90

  /// The name by which the library finds the rhythm.
  let name: String
  private let patch: Patch

  /// - Parameter name: the name by which ``RhythmLibrary/select(_:)`` finds the rhythm.
  public init(_ name: String, _ patch: Patch) { (self.name, self.patch) = (name, patch) }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "name": name, "beats": patch.meter.beats, "unit": patch.meter.unit, "groups": patch.beatGroups,
      "bpm": (patch.tempo.bpm * 10).rounded() / 10,
      "print": rows.map { $0.map { ["step": $0.step, "strength": $0.strength] as JSONObject } },
    ])
  }

  /// The hits of the drums in the first bar: one row for each drum, in the order of their first hits.
  var rows: [[(step: Int, strength: Int)]] {
    let table = StepTable(patch)
    var rows: [(note: UInt8, hits: [(step: Int, strength: Int)])] = []
    for step in 0..<Int(patch.meter.stepsPerBar) {
      var cursor = table.cursor(at: Step(Int64(step)), activity: Self.activity)
      while let hit = table.next(&cursor) {
        // Pitched parts and grace notes are not shown.
        guard hit.part == .drums, !hit.isGrace else { continue }
        if !rows.contains(where: { $0.note == hit.note }) { rows.append((hit.note, [])) }
        let row = rows.firstIndex { $0.note == hit.note }!
        // Two strokes of a triplet can fall into one step.
        guard rows[row].hits.last?.step != step else { continue }
        // The velocities of ghost notes, normal strokes and accents are 56, 88 and 120, less the swell and the level of the drum.
        rows[row].hits.append((step, hit.velocity < 64 ? 1 : hit.velocity < 100 ? 2 : 3))
      }
    }
    return rows.prefix(Self.maximumRows).map(\.hits)
  }
}

/// The patches that a page can choose from. The command line implements this protocol, and finds the patches in the patch folders.
public protocol RhythmLibrary: Sendable {
  /// Passes the cards of all rhythms that can be played to `deliver`, on any thread. Returns at once.
  func readCards(_ deliver: @escaping @Sendable ([RhythmCard]) -> Void)
  /// Passes the valid instruments with the names of their files, without the suffix, to `deliver`, on any thread. Returns at once.
  func readInstruments(_ deliver: @escaping @Sendable ([(file: String, instrument: Instrument)]) -> Void)
  /// Plays the rhythm called `name`. Returns at once.
  func select(_ name: String)
}
