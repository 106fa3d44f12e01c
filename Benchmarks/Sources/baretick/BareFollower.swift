import ClockSync
import MusicalTime

/// A method that follows ticks without time stamps. It gets the arrival times of the ticks, and estimates the phase and the interval.
protocol BareFollower {
  /// Adds a tick that arrived at `arrival`, in seconds.
  mutating func add(_ arrival: Double)
  /// The estimated due time of the newest tick, in seconds.
  var phase: Double { get }
  /// The estimated interval between ticks, in seconds.
  var interval: Double { get }
  /// The number of ticks so far, including ticks that the follower knows to be lost.
  var count: Int { get }
}

/// A second-order delay-locked loop (Adriaensen, "Using a DLL to filter time", Linux Audio Conference 2005). The error e is
/// the arrival of a tick minus its predicted arrival. The loop corrects the phase by b e, where b = sqrt(2) omega, and the
/// interval by c e, where c = omega^2.
struct DelayLockedLoop: BareFollower {
  /// The angular frequency of the loop for the first 24 ticks, in radians per tick: 2 pi times the bandwidth.
  let first: Double
  /// The angular frequency of the loop from the 25th tick on, in radians per tick.
  let omega: Double
  private(set) var count = 0
  private(set) var phase = 0.0
  private(set) var interval: Double
  /// The predicted arrival of the next tick, in seconds.
  private var predicted = 0.0

  init(first: Double? = nil, omega: Double, interval: Double) {
    (self.first, self.omega, self.interval) = (first ?? omega, omega, interval)
  }

  mutating func add(_ arrival: Double) {
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

/// A follower whose interval is the mean of the last intervals, and whose phase is the newest arrival.
struct MeanOfIntervals: BareFollower {
  /// The newest arrivals, one more than the number of intervals.
  private var arrivals: [Double] = []
  /// The number of intervals in the mean.
  private let ticks: Int
  private(set) var interval: Double
  private(set) var count = 0

  init(_ ticks: Int, interval: Double) { (self.ticks, self.interval) = (ticks, interval) }

  var phase: Double { arrivals.last ?? 0 }

  mutating func add(_ arrival: Double) {
    count += 1
    arrivals.append(arrival)
    if arrivals.count > ticks + 1 { arrivals.removeFirst() }
    if arrivals.count > 1 { interval = (arrival - arrivals[0]) / Double(arrivals.count - 1) }
  }
}

/// The follower of Tutti: `TickCounter` and `TickFollower`.
struct Tutti: BareFollower {
  private var follower = TickFollower()
  private var counter = TickCounter()
  /// The newest arrival, in seconds.
  private var newest = 0.0

  var count: Int { Int(counter.next.index) }
  var phase: Double {
    follower.timeline.map { Double($0.deadline(counter.next + -1).nanoseconds) / 1e9 } ?? newest
  }
  var interval: Double { follower.timeline.map { Double($0.tempo.nanosecondsPerQuarter) / 24e9 } ?? 0 }

  mutating func add(_ arrival: Double) {
    newest = arrival
    counter.add(Instant(nanoseconds: Int64(arrival * 1e9)), to: &follower)
  }
}

/// The followers that are compared, with their published parameters.
enum FollowerMethod: String, CaseIterable, Encodable {
  // The raw values are the names in the table.
  case ardour = "Ardour's DLL"
  case jack = "jack_mclk_dump's DLL"
  case element = "Element's DLL"
  case ten = "mean of 10 ticks"
  case quarter = "mean of 24 ticks"
  case tutti = "Tutti"

  /// Creates the follower.
  ///
  /// - Parameter interval: the true initial interval in seconds. Tutti does not use it.
  func follower(interval: Double) -> any BareFollower {
    switch self {
    // Ardour uses a bandwidth of 1 Hz and a fixed tempo of 500 BPM: omega = 2 pi * 60 / 500 / 24.
    case .ardour: DelayLockedLoop(omega: 0.0314, interval: interval)
    // The bandwidth is 1/6 Hz.
    case .jack: DelayLockedLoop(omega: 2 * .pi / 6 * interval, interval: interval)
    // The bandwidth is 0.5 cycles per quarter note (24 ticks) at first, and then 0.1 cycles.
    case .element: DelayLockedLoop(first: 2 * .pi * 0.5 / 24, omega: 2 * .pi * 0.1 / 24, interval: interval)
    case .ten: MeanOfIntervals(10, interval: interval)
    case .quarter: MeanOfIntervals(24, interval: interval)
    case .tutti: Tutti()
    }
  }
}
