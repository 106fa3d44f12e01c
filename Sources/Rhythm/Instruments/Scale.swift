/// A scale on a tonic, such as D minor pentatonic.
///
/// Real-time: not safe.
public struct Scale: Hashable, Sendable {
  /// The pitch class of the tonic, in semitones above C, 0...11.
  public let tonic: UInt8
  public let type: ScaleType

  /// The name in a patch, such as `D minor pentatonic`.
  public var name: String { "\(NoteName.name(ofPitchClass: tonic)) \(type.rawValue)" }

  /// Creates a scale. `tonic` counts modulo 12.
  public init(tonic: UInt8, type: ScaleType) { (self.tonic, self.type) = (tonic % 12, type) }

  /// Whether the key, 0...127, is a note of the scale in any octave.
  public func contains(_ key: UInt8) -> Bool { type.intervals.contains((key % 12 + 12 - tonic) % 12) }

  /// The notes of the scale within `range`, ascending.
  public func keys(in range: ClosedRange<UInt8>) -> [UInt8] { range.filter { contains($0) } }
}
