import ClockSync
import MusicalTime

/// A follower of bare ticks: it hears when they arrive, seconds, and says when the newest was due and how fast they go.
protocol BareFollower {
  mutating func hear(_ arrival: Double)
  /// When the newest tick was due, seconds.
  var phase: Double { get }
  /// Seconds a tick.
  var interval: Double { get }
  /// Ticks heard of, those included that it knows to be lost.
  var count: Int { get }
}

/// A second-order delay-locked loop (Adriaensen, "Using a DLL to filter time", Linux Audio Conference 2005): an error moves
/// the phase by b = sqrt(2) omega and the interval by c = omega^2 of it.
struct DelayLockedLoop: BareFollower {
  /// The loop's angular frequency, radians a tick, at first, and from the 25th tick on.
  let first: Double
  let omega: Double
  private(set) var count = 0
  private(set) var phase = 0.0
  private(set) var interval: Double
  private var predicted = 0.0

  init(first: Double? = nil, omega: Double, interval: Double) {
    (self.first, self.omega, self.interval) = (first ?? omega, omega, interval)
  }

  mutating func hear(_ arrival: Double) {
    defer { count += 1 }
    guard count > 0 else {
      (phase, predicted) = (arrival, arrival + interval)
      return
    }
    let omega = count < 24 ? first : omega
    let error = arrival - predicted
    phase = predicted
    predicted += 2.0.squareRoot() * omega * error + interval
    interval += omega * omega * error
  }
}

/// The mean of the last intervals; the newest arrival is its phase.
struct MeanOfIntervals: BareFollower {
  private var arrivals: [Double] = []
  private let ticks: Int
  private(set) var interval: Double
  private(set) var count = 0

  init(_ ticks: Int, interval: Double) { (self.ticks, self.interval) = (ticks, interval) }

  var phase: Double { arrivals.last ?? 0 }

  mutating func hear(_ arrival: Double) {
    count += 1
    arrivals.append(arrival)
    if arrivals.count > ticks + 1 { arrivals.removeFirst() }
    if arrivals.count > 1 { interval = (arrival - arrivals[0]) / Double(arrivals.count - 1) }
  }
}

/// Tutti's: ``TickCounter`` and ``TickFollower``.
struct Tutti: BareFollower {
  private var follower = TickFollower()
  private var counter = TickCounter()
  private var newest = 0.0

  var count: Int { Int(counter.next.index) }
  var phase: Double {
    follower.timeline.map { Double($0.deadline(counter.next + -1).nanoseconds) / 1e9 } ?? newest
  }
  var interval: Double { follower.timeline.map { Double($0.tempo.nanosecondsPerQuarter) / 24e9 } ?? 0 }

  mutating func hear(_ arrival: Double) {
    newest = arrival
    counter.add(Instant(nanoseconds: Int64(arrival * 1e9)), to: &follower)
  }
}

/// The followers compared, as published.
enum Contender: String, CaseIterable, Encodable {
  case ardour = "Ardour's DLL"
  case jack = "jack_mclk_dump's DLL"
  case element = "Element's DLL"
  case ten = "mean of 10 ticks"
  case quarter = "mean of 24 ticks"
  case tutti = "Tutti"

  /// It knows the tempo to begin with, but for Tutti.
  func follower(interval: Double) -> any BareFollower {
    switch self {
    case .ardour: DelayLockedLoop(omega: 0.0314, interval: interval)
    case .jack: DelayLockedLoop(omega: 2 * .pi / 6 * interval, interval: interval)
    // Bandwidths of 0.5 and 0.1 in units of the 24 ticks of a quarter.
    case .element: DelayLockedLoop(first: 2 * .pi * 0.5 / 24, omega: 2 * .pi * 0.1 / 24, interval: interval)
    case .ten: MeanOfIntervals(10, interval: interval)
    case .quarter: MeanOfIntervals(24, interval: interval)
    case .tutti: Tutti()
    }
  }
}
