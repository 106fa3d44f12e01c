import ClockSync
import Foundation
import MusicalTime
import _TestSupport

@testable import Ensemble

/// A band whose player 0 receives ticks from an external clock. Each tick arrives late by the magnitude of a normally
/// distributed number with mean 0 and standard deviation ``sigma``.
struct ClockedBand {
  var band: VirtualBand
  /// The external clocks of player 0: one port.
  var clocks = ClockArbiter()
  /// The events of the external clock, in order.
  var events: [ClockArbiter.Event] = []
  /// The generator of the lateness of ticks.
  var random: SplitMix
  /// The generator of tick losses.
  private var losses: SplitMix
  /// The clock of the sender of the ticks, minus true time.
  private static let senderOffset = Nanoseconds.seconds(77)
  /// The standard deviation of the lateness, before its sign is removed, in nanoseconds.
  let sigma: Double
  /// When the last tick was due: true time in nanoseconds.
  var lastDueTime: Double

  init(players: Int = 2, seed: UInt64, sigma: Nanoseconds) {
    clocks.connect("clock", .port(client: 20, port: 0))
    band = VirtualBand(players: players, seed: seed)
    random = SplitMix(seed: seed &+ 99)
    losses = SplitMix(seed: seed &+ 999)
    self.sigma = Double(sigma.count)
    lastDueTime = Double(band.now.nanoseconds)
  }

  /// Delivers a message of the external clock at the present time.
  ///
  /// - Parameter missing: the number of missing packets before it; nil if the clock does not number its packets.
  mutating func deliver(_ message: ExternalClock.Message, missing: Int64? = nil) {
    // The closure must not access `self` while `command` changes `band`. Therefore it changes a copy of the clocks.
    var clocks = clocks
    band.command(0) { ensemble, now in
      clocks.received(message, at: now, stamp: nil, missing: missing, ofInput: 0, for: &ensemble, now: now)
    }
    self.clocks = clocks
    advance()
  }

  /// Lets the external clock report what has changed without a message.
  mutating func advance() {
    var clocks = clocks
    band.command(0) { ensemble, now in clocks.advance(to: now, for: &ensemble) }
    events += clocks.takeEvents().map(\.event)
    self.clocks = clocks
  }

  /// The external clock of player 0.
  var externalClock: ExternalClock { clocks.inputs[0].clock }

  /// Whether player 0 plays by the external clock.
  var clockLeads: Bool { clocks.leader(of: band.players[0].ensemble) != nil }

  /// Sends `count` ticks at `bpm` and lets the band run until they have arrived.
  ///
  /// - Parameters:
  ///   - arrives: whether any of the ticks arrive.
  ///   - loss: the probability that a single tick is lost, 0...1.
  ///   - stamped: whether each tick has a time stamp: its due time by the clock of the sender, in units of 100 us.
  ///   - missing: as in ``deliver(_:missing:)``, for each tick.
  ///   - delay: the true time before which no tick arrives, for example because the network holds them back.
  /// - Returns: when each tick was due, in true time.
  @discardableResult
  mutating func tick(
    _ count: Int, bpm: Double, arrives: Bool = true, loss: Double = 0, stamped: Bool = false, missing: Int64? = nil,
    delayedUntil delay: Instant = Instant(nanoseconds: .min)
  ) -> [Instant] {
    var dueTimes: [Instant] = []
    for _ in 0..<count {
      // The length of a tick in nanoseconds: a minute has 60e9 ns, and a quarter note has 24 ticks.
      lastDueTime += 60e9 / bpm / 24
      let due = Instant(nanoseconds: Int64(lastDueTime))
      dueTimes.append(due)
      let arrivalInTrueTime = max(delay, due + Nanoseconds(Int64(abs(normal()) * sigma)))
      // The previous tick may have arrived later than this tick. The band then does not run.
      band.run(for: max(.zero, arrivalInTrueTime - band.now))
      guard arrives, Double.random(in: 0..<1, using: &losses) >= loss else { continue }
      var clocks = clocks
      band.command(0) { [band] ensemble, now in
        // `now` is the local time of player 0.
        let localOffset = now - band.now
        let arrival = arrivalInTrueTime + localOffset
        // The unit of the time stamp is 100 us, as in RTP-MIDI.
        let stamp = Instant(nanoseconds: (due + Self.senderOffset).nanoseconds / 100_000 * 100_000)
        let clock = ClockEstimate(offset: Self.senderOffset - localOffset, uncertainty: .microseconds(200))
        clocks.received(
          .clock, at: arrival, stamp: stamped ? ExternalClock.Stamp(instant: stamp, clock: clock) : nil,
          missing: missing, ofInput: 0, for: &ensemble, now: max(now, arrival))
      }
      self.clocks = clocks
      advance()
    }
    return dueTimes
  }

  /// Returns a number from the standard normal distribution (Box-Muller transform).
  private mutating func normal() -> Double {
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }

  /// Whether the newest run of player `n` has at least two steps, which follow each other without a gap or a repetition.
  func newestRunIsGapless(of n: Int) -> Bool {
    guard let steps = band.players[n].runs.last, steps.count > 1 else { return false }
    return zip(steps, steps.dropFirst()).allSatisfy { $1.step == $0.step + 1 && $1.at > $0.at }
  }

  /// Compares the steps `range` of the newest run of player `n` with the ticks of the external clock.
  ///
  /// - Parameter dueTimes: when each tick was due, in true time. The first element is tick 0.
  /// - Returns: the number of steps, and the largest difference between the instant of a step and the due time of its tick.
  func error(ofPlayer n: Int, against dueTimes: [Instant], steps range: Range<Int64>) -> (
    count: Int, largest: Nanoseconds
  ) {
    let steps = band.players[n].runs.last!.filter { range.contains($0.step.index) }
    let errors = steps.map { ($0.at - dueTimes[Int(Tick(of: $0.step).index)]).magnitude }
    return (errors.count, errors.max() ?? .zero)
  }
}
