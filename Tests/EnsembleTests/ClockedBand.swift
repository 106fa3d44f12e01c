import ClockSync
import Ensemble
import Foundation
import MusicalTime
import _TestSupport

/// A band whose first player follows an external clock. Each tick arrives late by |N(0, sigma)|.
struct ClockedBand {
  var band: VirtualBand
  /// The external clock of player 0.
  var outside = ExternalClock()
  var events: [ExternalClock.Event] = []
  var random: SplitMix
  private var losses: SplitMix
  /// The clock of the sender minus true time.
  private static let ahead = Nanoseconds.seconds(77)
  /// The standard deviation of the lateness before its sign is removed, in nanoseconds.
  let sigma: Double
  /// When the last tick was due: true time in nanoseconds.
  var due: Double

  init(players: Int = 2, seed: UInt64, sigma: Nanoseconds) {
    band = VirtualBand(players: players, seed: seed)
    random = SplitMix(seed: seed &+ 99)
    losses = SplitMix(seed: seed &+ 999)
    self.sigma = Double(sigma.count)
    due = Double(band.now.nanoseconds)
  }

  /// Delivers a message of the external clock at the present time.
  mutating func say(_ message: ExternalClock.Message) {
    let outside = self.outside
    var (next, event) = (outside, ExternalClock.Event?.none)
    band.command(0) { ensemble, now in event = next.received(message, at: now, for: &ensemble, now: now) }
    self.outside = next
    if let event { events.append(event) }
  }

  /// Sends `count` ticks at `bpm` and lets the band run until they have arrived.
  ///
  /// - Parameters:
  ///   - heard: whether any tick arrives.
  ///   - loss: the probability that a single tick is lost, 0...1.
  ///   - stamped: whether each tick has a time stamp: its due time by the clock of the sender, in units of 100 us.
  /// - Returns: when each tick was due, in true time.
  @discardableResult
  mutating func tick(
    _ count: Int, bpm: Double, heard: Bool = true, loss: Double = 0, stamped: Bool = false
  ) -> [Instant] {
    var dues: [Instant] = []
    for _ in 0..<count {
      due += 60e9 / bpm / 24
      let tick = Instant(nanoseconds: Int64(due))
      dues.append(tick)
      // If the previous tick arrived later than this one is due to arrive, the time is already past this arrival.
      let late = Nanoseconds(Int64(abs(normal()) * sigma))
      band.run(for: max(.zero, tick + late - band.now))
      guard heard, Double.random(in: 0..<1, using: &losses) >= loss else { continue }
      var (next, event) = (outside, ExternalClock.Event?.none)
      band.command(0) { [band] ensemble, now in
        let arrival = tick + late + (now - band.now)
        let remote = Instant(nanoseconds: (tick + Self.ahead).nanoseconds / 100_000 * 100_000)
        let clock = ClockEstimate(offset: Self.ahead - (now - band.now), uncertainty: .microseconds(200))
        event = next.received(
          .clock, at: arrival, stamp: stamped ? ExternalClock.Stamp(remote, by: clock) : nil, for: &ensemble,
          now: max(now, arrival))
      }
      outside = next
      if let event { events.append(event) }
    }
    return dues
  }

  /// Returns a number from the standard normal distribution (Box-Muller transform).
  private mutating func normal() -> Double {
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }

  /// Whether the steps of the newest run of player `n` follow each other without a gap or a repetition.
  func isWhole(_ n: Int) -> Bool {
    guard let steps = band.players[n].runs.last, steps.count > 1 else { return false }
    return zip(steps, steps.dropFirst()).allSatisfy { $1.step == $0.step + 1 && $1.at > $0.at }
  }

  /// Compares the steps `range` of the newest run of player `n` with the ticks of the external clock.
  ///
  /// - Parameter dues: when each tick was due, in true time. The first element is tick 0.
  /// - Returns: the number of steps, and their largest absolute error.
  func error(_ n: Int, _ dues: [Instant], steps range: Range<Int64>) -> (count: Int, largest: Nanoseconds) {
    let steps = band.players[n].runs.last!.filter { range.contains($0.step.index) }
    let errors = steps.map { ($0.at - dues[Int(Tick(of: $0.step).index)]).magnitude }
    return (errors.count, errors.max() ?? .zero)
  }
}
