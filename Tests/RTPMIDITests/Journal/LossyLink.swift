import MusicalTime
import Testing
import _TestSupport

/// A simulated network link in one direction, in virtual time. Bursts of loss follow the Gilbert model: in the bad
/// state, most packets are lost.
struct LossyLink {
  /// The disturbances of a link. Links with reordering also repeat some datagrams.
  enum Kind: CaseIterable, CustomTestStringConvertible {
    case onePercent, fivePercent, twentyPercent, bursts, reordering, twentyPercentReordering

    var testDescription: String { "\(self)" }
    /// The probability that a datagram is lost outside a burst.
    var loss: Double {
      switch self {
      case .onePercent: 0.01
      case .fivePercent, .reordering: 0.05
      case .twentyPercent, .twentyPercentReordering: 0.2
      case .bursts: 0.01
      }
    }
    var reorders: Bool { self == .reordering || self == .twentyPercentReordering }
    var hasBursts: Bool { self == .bursts }
  }

  let kind: Kind
  /// Whether the link is in the bad state, in a burst of loss.
  private var isBad = false
  private var random: SplitMix
  /// The datagrams in transit, sorted by arrival.
  private var inFlight: [(due: Instant, datagram: [UInt8])] = []

  init(_ kind: Kind, seed: UInt64) { (self.kind, random) = (kind, SplitMix(seed: seed)) }

  /// Sends a datagram at `now`. It arrives once, twice or not at all, after 5 to 65 ms.
  mutating func send(_ datagram: [UInt8], at now: Instant) {
    // A burst begins with a probability of 5 % per datagram, and continues with 70 %. In a burst, 90 % are lost.
    if kind.hasBursts { isBad = isBad ? chance(0.7) : chance(0.05) }
    if chance(isBad ? 0.9 : kind.loss) { return }
    for _ in 0..<(kind.reorders && chance(0.1) ? 2 : 1) {
      let due = now + .milliseconds(5 + (kind.reorders && chance(0.3) ? random.integer(in: 0...60) : 0))
      let place = inFlight.firstIndex { $0.due > due } ?? inFlight.endIndex
      inFlight.insert((due, datagram), at: place)
    }
  }

  /// The next datagram that arrives at `now` or before; nil if there is none.
  mutating func arrival(by now: Instant) -> [UInt8]? {
    guard let first = inFlight.first, first.due <= now else { return nil }
    return inFlight.removeFirst().datagram
  }

  /// Returns true with this probability.
  private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
}
