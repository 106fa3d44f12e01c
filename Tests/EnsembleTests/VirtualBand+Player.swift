import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback

extension VirtualBand {
  struct Sounded: Equatable {
    var step: Step
    /// The true time at which the step sounds.
    var at: Instant
  }

  final class Player {
    var ensemble: EnsembleState { didSet { isChanged = true } }
    /// The local time minus true time, at instant 0 of true time.
    var ahead: Nanoseconds { didSet { isChanged = true } }
    /// The rate error of the local clock in parts per million. A positive clock is fast.
    var skew: Int64 = 0 { didSet { isChanged = true } }
    /// Whether something has changed since the player was last advanced.
    var isChanged = true
    /// The ensemble's next deadline in local time.
    var deadline = Instant(nanoseconds: .min)
    /// The true time at which the player has something to do again.
    var wakes = Instant(nanoseconds: .min)
    var isAlive = true

    // What the player sounds, as the sound's cursor delivers it.
    var cursor = TickCursor(lead: EnsembleState.standardSoundLead)
    /// The sounded steps of each run, in order.
    var runs: [[Sounded]] = []
    var run: UInt32 = 0
    /// Whether each run continues the run before it.
    var continues: [Bool] = []
    /// Each sounded step and the total activity that its layers were selected by.
    var steps: [(step: Step, total: UInt8)] = []

    // What the player sends at the deadline of each tick.
    var moment = TickCursor(lead: .zero)
    /// The last tick sent.
    var ticked: (tick: Tick, run: UInt32)?
    /// The number of ticks that did not follow the tick before.
    var disorder = 0

    /// The number of times that a deadline remained due after four advances.
    var spins = 0
    /// Each role and the true time of its beginning.
    var roles: [(role: Role, since: Instant)] = []
    /// All outputs of the ensemble, in order.
    var outputs: [EnsembleState.Output] = []
    var events: [Event] = []
    var channels: [Channel?] = []
    var doubts: [Event] = []
    /// The controllers sent.
    var sent: [(at: Instant, controller: UInt7, value: UInt8)] = []
    /// The presences sent.
    var presented: [(at: Instant, to: Identity)] = []

    init(_ ensemble: EnsembleState, ahead: Nanoseconds) { (self.ensemble, self.ahead) = (ensemble, ahead) }

    func localTime(at instant: Instant) -> Instant {
      instant + ahead + Nanoseconds(instant.nanoseconds / 1_000_000 * skew)
    }

    /// The first true time at which the local time is `local` or later.
    func trueTime(of local: Instant) -> Instant {
      let rough = local - ahead
      guard skew != 0 else { return rough }
      var instant =
        rough - Nanoseconds(rough.nanoseconds / 1_000_000 * skew * 1_000_000 / (1_000_000 + skew))
      let early = local - localTime(at: instant)
      if early > .zero { instant = instant + early }
      return instant
    }

    /// The local time of the next tick to sound or to send.
    var ticksDue: Instant {
      let schedule = ensemble.schedule
      return min(cursor.due(in: schedule), moment.due(in: schedule))
    }

    /// Sends and sounds the ticks that are due.
    func playTicks(at local: Instant) {
      let schedule = ensemble.schedule
      while let tick = moment.take(in: schedule, at: local) {
        if let last = ticked, last.run == schedule.run || schedule.continues, tick != last.tick + 1 { disorder += 1 }
        ticked = (tick, schedule.run)
      }
      while let tick = cursor.take(in: schedule, at: local) {
        if run != schedule.run {
          run = schedule.run
          runs.append([])
          continues.append(schedule.continues)
        }
        guard let step = tick.beginsStep else { continue }
        runs[runs.count - 1].append(Sounded(step: step, at: trueTime(of: schedule.deadline(tick))))
        steps.append((step, schedule.intensity.value(at: tick)))
      }
    }
  }

  /// The defects in the steps of player `n`. Within a run, and from a run to a run that continues it, the steps have
  /// consecutive numbers and increasing instants. Other runs do not overlap.
  func faults(_ n: Int) -> [String] {
    let runs = players[n].runs
    var faults: [String] = []
    if players[n].disorder > 0 {
      faults.append("player \(n): \(players[n].disorder) ticks sent out of order")
    }
    if players[n].spins > 0 { faults.append("player \(n): \(players[n].spins) deadlines missed") }
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

  /// All steps that player `n` sounded, in order.
  func heard(_ n: Int) -> [Sounded] { players[n].runs.flatMap { $0 } }
}
