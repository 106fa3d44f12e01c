/// A part of a rhythm. Every rhythm has drums. Only a style has the pitched parts. All peers play all parts in time with the clock.
public enum Part: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The drums.
  case drums = 0
  case bass, guitar, keys

  /// The pitched parts, which follow the chords of the rhythm.
  public static let pitched: [Part] = [.bass, .guitar, .keys]

  /// The name in a patch, such as `bass`.
  ///
  /// Real-time: not safe.
  public var name: String {
    switch self {
    case .drums: "drums"
    case .bass: "bass"
    case .guitar: "guitar"
    case .keys: "keys"
    }
  }

  /// The number of the part, 0...3.
  ///
  /// Real-time: safe. (The `rawValue` that the compiler generates has no real-time annotation.)
  public var number: UInt8 {
    @_noLocks @_noAllocation get {
      switch self {
      case .drums: 0
      case .bass: 1
      case .guitar: 2
      case .keys: 3
      }
    }
  }

  /// Creates the part with the given raw value. A larger value than 3 counts as 0.
  ///
  /// Real-time: safe. (The `init(rawValue:)` that the compiler generates has no real-time annotation.)
  @_noLocks @_noAllocation
  init(code: UInt8) {
    switch code {
    case 1: self = .bass
    case 2: self = .guitar
    case 3: self = .keys
    default: self = .drums
    }
  }
}
