import Ensemble
import MusicalTime
import PeerProtocol
import Rhythm

/// The rhythms of a world. All have the hits of one step table, but different bars. It is a class, because a step table is too large to copy
/// for each peer.
final class Pattern {
  /// The hits.
  let table: StepTable
  /// The text of each rhythm. Its first octet is its number. The peers of a world do not read the other octets.
  let documents: [Document]

  init(_ table: StepTable) {
    self.table = table
    documents = (0..<3).map { Document(.rhythm, [UInt8](repeating: UInt8($0), count: 100 + 1500 * $0))! }
  }

  /// The rhythm that a document describes.
  static func choice(of document: Document) -> RhythmChoice {
    let beats = [4, 3, 7][Int(document.octets[0]) % 3]
    return RhythmChoice(digest: document.digest, meter: Meter(beats: beats, unit: beats == 7 ? 8 : 4)!)
  }
}
