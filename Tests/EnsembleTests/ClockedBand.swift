import ClockSync
import Ensemble
import Foundation
import MusicalTime
import _TestSupport

/// A band whose first player keeps an outside clock that says its ticks late by |N(0, sigma)|.
struct ClockedBand {
  var band: VirtualBand
  var outside = ExternalClock()
  var events: [ExternalClock.Event] = []
  var random: SplitMix
  private var losses: SplitMix
  /// The sender's clock minus true time.
  private static let ahead = Nanoseconds.seconds(77)
  let sigma: Double
  /// In true time.
  var due: Double
  private var arrivals: [(at: Instant, message: ExternalClock.Message)] = []

  init(players: Int = 2, seed: UInt64, sigma: Nanoseconds) {
    band = VirtualBand(players: players, seed: seed)
    random = SplitMix(seed: seed &+ 99)
    losses = SplitMix(seed: seed &+ 999)
    self.sigma = Double(sigma.count)
    due = Double(band.now.nanoseconds)
  }

  mutating func say(_ message: ExternalClock.Message) {
    let outside = self.outside
    var (next, said) = (outside, ExternalClock.Event?.none)
    band.command(0) { ensemble, now in said = next.received(message, at: now, for: &ensemble, now: now) }
    self.outside = next
    if let said { events.append(said) }
  }

  /// So many ticks at `bpm`; gives when each was due, in true time.
  ///
  /// - Parameters:
  ///   - heard: whether they come at all.
  ///   - loss: how many of them are lost by themselves.
  ///   - stamped: whether they bear their dues by a clock of the sender's own.
  @discardableResult
  mutating func tick(
    _ count: Int, bpm: Double, heard: Bool = true, loss: Double = 0, stamped: Bool = false
  ) -> [Instant] {
    var dues: [Instant] = []
    for _ in 0..<count {
      due += 60e9 / bpm / 24
      let tick = Instant(nanoseconds: Int64(due))
      dues.append(tick)
      // The band lives in whole milliseconds; the instant of arrival is exact, as the kernel's stamp is.
      let late = Nanoseconds(Int64(abs(normal()) * sigma))
      band.run(for: max(.zero, tick + late - band.now))
      guard heard, Double.random(in: 0..<1, using: &losses) >= loss else { continue }
      var (next, said) = (outside, ExternalClock.Event?.none)
      band.command(0) { [band] ensemble, now in
        let arrival = tick + late + (now - band.now)
        let remote = Instant(nanoseconds: (tick + Self.ahead).nanoseconds / 100_000 * 100_000)
        let clock = ClockEstimate(offset: Self.ahead - (now - band.now), uncertainty: .microseconds(200))
        said = next.received(
          .clock, at: arrival, stamp: stamped ? ExternalClock.Stamp(remote, by: clock) : nil, for: &ensemble,
          now: max(now, arrival))
      }
      outside = next
      if let said { events.append(said) }
    }
    return dues
  }

  private mutating func normal() -> Double {
    let (u, v) = (Double.random(in: 1e-12...1, using: &random), Double.random(in: 0..<1, using: &random))
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }

  /// The steps of a player's newest run follow each other without a gap or a repetition.
  func isWhole(_ n: Int) -> Bool {
    guard let steps = band.players[n].runs.last, steps.count > 1 else { return false }
    return zip(steps, steps.dropFirst()).allSatisfy { $1.step == $0.step + 1 && $1.at > $0.at }
  }

  /// How far a player's steps lie off the clock whose ticks were due at `dues`, tick 0 first: mean and largest
  /// difference, of steps `range`.
  func error(_ n: Int, _ dues: [Instant], steps range: Range<Int64>) -> (count: Int, largest: Nanoseconds) {
    let steps = band.players[n].runs.last!.filter { range.contains($0.step.index) }
    let errors = steps.map { ($0.at - dues[Int(Tick(of: $0.step).index)]).magnitude }
    return (errors.count, errors.max() ?? .zero)
  }
}
