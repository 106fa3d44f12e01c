import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback

extension PlaybackSchedule {
  /// Whether the run continues another one.
  var continues: Bool { firstRun != run }
}

extension VirtualBand {
  /// A step that a player has sounded.
  struct Sounded: Equatable {
    var step: Step
    /// The true time at which the step sounds.
    var at: Instant
  }

  /// A player of the band: its ensemble and local clock, and a record of all that it has played, sent and reported.
  final class Player {
    var ensemble: EnsembleState { didSet { isChanged = true } }
    /// The local time minus the true time, at instant 0 of true time.
    var ahead: Nanoseconds { didSet { isChanged = true } }
    /// The rate error of the local clock in parts per million. If the value is positive, the clock is fast.
    var skew: Int64 = 0 { didSet { isChanged = true } }
    /// Whether the ensemble or the local clock has been written since ``deadline`` and ``wakeTime`` were calculated.
    /// They must then be calculated again.
    var isChanged = true
    /// The next deadline of the ensemble in local time. A cached value, valid while ``isChanged`` is false.
    var deadline = Instant(nanoseconds: .min)
    /// The true time at which a deadline or tick of the player is due next. A cached value, valid while ``isChanged``
    /// is false.
    var wakeTime = Instant(nanoseconds: .min)
    var isAlive = true
    /// The number of events that ``VirtualBand/play(for:)`` has handled.
    var handledEvents = 0

    /// The next tick to sound. The cursor has the lead of the audio output.
    var cursor = TickCursor(lead: EnsembleState.standardSoundLead)
    /// The sounded steps of each run, in order.
    var runs: [[Sounded]] = []
    /// The number of the run that sounds; 0 before the first run.
    var run: UInt32 = 0
    /// Whether each run in ``runs`` continues the run before it.
    var continues: [Bool] = []
    /// Each sounded step, and the total activity that selected its layers.
    var steps: [(step: Step, total: UInt8)] = []

    /// The next tick that the player would send if it were the master. A tick is sent at its deadline, without a lead. The band
    /// sends no ticks. It only checks the order of these ticks, for every player.
    var sendCursor = TickCursor(lead: .zero)
    /// The last tick that ``sendCursor`` has returned, and its run.
    var lastSentTick: (tick: Tick, run: UInt32)?
    /// The number of ticks of ``sendCursor`` that did not directly follow the previous tick.
    var outOfOrderTicks = 0

    /// The number of times that a deadline was still due after three advances, so that a fourth was necessary.
    var stuckDeadlines = 0
    /// Each role, and the true time at which it began.
    var roles: [(role: Role, since: Instant)] = []
    /// All outputs of the ensemble, in order.
    var outputs: [EnsembleState.Output] = []
    var events: [Event] = []
    var channels: [Channel?] = []
    /// The warnings about other players.
    var warnings: [Event] = []
    /// The control changes sent, and the true time of each.
    var sent: [(at: Instant, controller: UInt7, value: UInt8)] = []
    /// The receivers of the presences sent, and the true time of each.
    var sentPresences: [(at: Instant, to: Identity)] = []

    init(_ ensemble: EnsembleState, ahead: Nanoseconds) { (self.ensemble, self.ahead) = (ensemble, ahead) }

    /// The local time at true time `instant`.
    func localTime(at instant: Instant) -> Instant {
      instant + ahead + Nanoseconds(instant.nanoseconds / 1_000_000 * skew)
    }

    /// The first true time at which the local time is `local` or later.
    func trueTime(of local: Instant) -> Instant {
      let withoutSkew = local - ahead
      guard skew != 0 else { return withoutSkew }
      // In the true time t, a clock with a skew of s ppm advances by l = t * (1 + s / 1e6). Therefore t = l - l * s / (1e6 + s).
      var instant =
        withoutSkew
        - Nanoseconds(withoutSkew.nanoseconds / 1_000_000 * skew * 1_000_000 / (1_000_000 + skew))
      // The integer divisions can make the instant slightly too early.
      let missing = local - localTime(at: instant)
      if missing > .zero { instant = instant + missing }
      return instant
    }

    /// The local time at which ``cursor`` or ``sendCursor`` returns its next tick.
    var ticksDue: Instant {
      let schedule = ensemble.schedule
      return min(cursor.due(in: schedule), sendCursor.due(in: schedule))
    }

    /// Checks the order of the ticks that are due to be sent, and records the steps that are due to be sounded.
    func playTicks(at local: Instant) {
      let schedule = ensemble.schedule
      while let tick = sendCursor.take(in: schedule, at: local) {
        if let last = lastSentTick, last.run == schedule.run || schedule.continues, tick != last.tick + 1 {
          outOfOrderTicks += 1
        }
        lastSentTick = (tick, schedule.run)
      }
      while let tick = cursor.take(in: schedule, at: local) {
        if run != schedule.run {
          run = schedule.run
          runs.append([])
          continues.append(schedule.continues)
        }
        guard let step = tick.beginsStep else { continue }
        runs[runs.count - 1].append(Sounded(step: step, at: trueTime(of: schedule.deadline(tick))))
        steps.append((step, schedule.total[tick]))
      }
    }
  }

  /// The defects in the steps of player `n`. Within a run, and from a run to a run that continues it, the steps have
  /// consecutive numbers and increasing instants. Other runs do not overlap.
  func faults(_ n: Int) -> [String] {
    let runs = players[n].runs
    var faults: [String] = []
    if players[n].outOfOrderTicks > 0 {
      faults.append("player \(n): \(players[n].outOfOrderTicks) ticks sent out of order")
    }
    if players[n].stuckDeadlines > 0 {
      faults.append("player \(n): \(players[n].stuckDeadlines) deadlines still due after three advances")
    }
    /// Checks a step and the step before it. `directly` means that their numbers must be consecutive.
    func check(_ step: Sounded, follows last: Sounded, _ place: String, directly: Bool = true) {
      if directly, step.step.index != last.step.index + 1 {
        faults.append("\(place): step \(step.step.index) follows step \(last.step.index)")
      }
      if step.at <= last.at {
        faults.append("\(place): step \(step.step.index) does not sound after step \(last.step.index)")
      }
    }
    for (k, run) in runs.enumerated() {
      for (a, b) in zip(run, run.dropFirst()) { check(b, follows: a, "player \(n), run \(k)") }
      guard let first = run.first, let last = runs[..<k].last(where: { !$0.isEmpty })?.last else { continue }
      check(first, follows: last, "player \(n), beginning of run \(k)", directly: players[n].continues[k])
    }
    return faults
  }

  /// All steps that player `n` sounded, in order.
  func soundedSteps(of n: Int) -> [Sounded] { players[n].runs.flatMap { $0 } }
}
