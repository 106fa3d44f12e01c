/// The power-law noise types of NIST SP 1065, section 3. The raw value is the exponent alpha of the spectral density
/// of the fractional frequency, S(f) ~ f^alpha.
///
/// Real-time: not safe.
public enum PowerLawNoise: Int, Hashable, Sendable, CaseIterable {
  case randomWalkFrequency = -2
  case flickerFrequency = -1
  case whiteFrequency = 0
  case flickerPhase = 1
  case whitePhase = 2

  /// The usual abbreviation, for example "W PM" for white phase modulation.
  public var abbreviation: String {
    switch self {
    case .randomWalkFrequency: "RW FM"
    case .flickerFrequency: "F FM"
    case .whiteFrequency: "W FM"
    case .flickerPhase: "F PM"
    case .whitePhase: "W PM"
    }
  }
}
