import Ensemble
import MusicalTime
import Playback

extension VirtualBand {
  struct Sounded: Equatable {
    var step: Step
    /// When the step sounds, in true time.
    var at: Instant
  }

  final class Player {
    var ensemble: EnsembleState { didSet { isAwake = true } }
    /// Whether something has happened to it since it was looked at last.
    var isAwake = true
    /// When there is something to do again, in its clock.
    var wakes = Instant(nanoseconds: .min)
    /// This peer's clock minus true time, at instant 0 of it.
    var ahead: Nanoseconds
    /// Parts per million by which it is faster.
    var skew: Int64 = 0
    var cursor = TickCursor(lead: EnsembleState.standardSoundLead)
    /// Steps in the order in which they were handed over, one list a run.
    var runs: [[Sounded]] = []
    var run: UInt32 = 0
    /// Which of the runs go on with the one before.
    var continues: [Bool] = []
    var isAlive = true
    /// Its ticks at their moment, as it sends them: the last one, and how many were not the one after it.
    var moment = TickCursor(lead: .zero)
    var ticked: (tick: Tick, run: UInt32)?
    var disorder = 0
    /// How often an advance left something to do at once.
    var spins = 0
    /// Each role, and since when, in true time.
    var roles: [(role: Role, since: Instant)] = []
    var outputs: [EnsembleState.Output] = []
    var events: [Event] = []

    init(_ ensemble: EnsembleState, ahead: Nanoseconds) { (self.ensemble, self.ahead) = (ensemble, ahead) }

    /// Looks at what comes next: a deadline of the ensemble's, or a tick.
    func lookAhead() {
      let schedule = ensemble.schedule
      wakes = min(ensemble.nextDeadline, cursor.due(in: schedule), moment.due(in: schedule))
      isAwake = false
    }
  }

  /// What is wrong with the steps of a player: within a run they go up one by one, in order of time, and a run that goes
  /// on with the one before does so too. Two runs that have nothing to do with each other do not overlap.
  func faults(_ n: Int) -> [String] {
    let runs = players[n].runs
    var faults: [String] = []
    if players[n].disorder > 0 {
      faults.append("player \(n): \(players[n].disorder) ticks out of order at their moment")
    }
    if players[n].spins > 0 { faults.append("player \(n): \(players[n].spins) deadlines that were not met") }
    func check(_ a: Sounded, _ b: Sounded, _ what: String, inARow: Bool = true) {
      if inARow, b.step.index != a.step.index + 1 { faults.append("\(what): \(b.step.index) after \(a.step.index)") }
      if b.at <= a.at { faults.append("\(what): \(b.step.index) not after \(a.step.index)") }
    }
    for (k, run) in runs.enumerated() {
      for (a, b) in zip(run, run.dropFirst()) { check(a, b, "player \(n), run \(k)") }
      guard let first = run.first, let last = runs[..<k].last(where: { !$0.isEmpty })?.last else { continue }
      check(last, first, "player \(n), to run \(k)", inARow: players[n].continues[k])
    }
    return faults
  }

  /// Everything a player heard, in order.
  func heard(_ n: Int) -> [Sounded] { players[n].runs.flatMap { $0 } }
}
