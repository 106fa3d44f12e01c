import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm

/// The patch that plays: the choice of the player, or the patch of the master.
struct PatchChoice {
  /// The effect of a choice.
  struct Effect {
    /// The table that the clock thread plays from the next bar on; nil if the patch does not change.
    var table: StepTable?
    /// The lines for the player.
    var notices: [Notice] = []
  }

  /// The patch that plays, or that plays from the next bar on.
  private(set) var patch: Patch
  /// The name of ``patch`` for the player, as the user has written it. For a received patch: the name in the patch and, in brackets,
  /// the name of the peer that has sent the patch.
  private(set) var name: String
  /// The name of the patch that the player has chosen last, as the user has written it.
  private(set) var chosenName: String
  /// The number of changes of ``patch`` since the peer started.
  private(set) var number: UInt32 = 0
  /// The first tick of ``patch``: the beginning of a bar. Tick 0 for the first patch.
  private(set) var tick = Tick(0)
  /// The longest time by which a hit can sound earlier than its step, in all patches that have played. Each step is passed to the sound
  /// earlier by this time.
  private(set) var maximumPush: Nanoseconds
  /// Checks the patches that masters have sent.
  let checker: PatchChecker

  /// - Parameter table: the table of the configured patch.
  init(_ configuration: PeerConfiguration, _ table: StepTable, bell: Doorbell) {
    (patch, name, chosenName) = (configuration.patch, configuration.patchName, configuration.patchName)
    (maximumPush, checker) = (table.maximumPush, PatchChecker(bell: bell))
  }

  /// Plays the patch that the player has chosen, unless this peer plays the patch of its master.
  ///
  /// - Parameter soundLead: ``SoundOutputs/lead``.
  mutating func choose(_ patch: Patch, named name: String, in core: PeerCore, soundLead: Nanoseconds) -> Effect {
    guard core.ensemble.choosesPatch else {
      let master = core.ensemble.role.master.map { core.name(of: $0) } ?? "the master"
      let remedy = "to play your own rhythm, start this peer with --own-patch"
      return Effect(
        notices: [Notice("rhythm \(name): not played, because the master \(master) chooses the rhythm; \(remedy)")])
    }
    chosenName = name
    var effect = change(to: patch, named: name, in: core, soundLead: soundLead)
    let start = core.ensemble.role == .idle ? "chosen; it plays when the rhythm starts" : "plays from the next bar on"
    effect.notices.append(Notice("rhythm \(name): \(start)"))
    return effect
  }

  /// Plays a patch of the master that was received and checked. If the patch cannot be played, informs the player.
  ///
  /// - Parameter soundLead: ``SoundOutputs/lead``.
  mutating func adopt(_ checked: PatchChecker.Checked, in core: PeerCore, soundLead: Nanoseconds) -> Effect {
    let sender = core.name(of: checked.sender)
    let notice: Notice
    var effect = Effect()
    switch checked.result {
    case .success(let patch):
      // The master or its patch may have changed during the check.
      guard core.ensemble.role.master == checked.sender, core.ensemble.masterPatch == checked.shared.digest,
        core.ensemble.followsPatch
      else { return effect }
      effect = change(to: patch, named: "\(patch.name) (\(sender))", in: core, soundLead: soundLead)
      let line = "rhythm \(patch.name): received from the master \(sender), plays from the next bar on"
      notice = Notice(line, .notice, .patches, of: "the rhythm")
    case .failure(let fault):
      core.ensemble.refuse(checked.shared.digest)
      let remedy = "ask \(sender) to correct it; this peer keeps \(name)"
      let line = "rhythm of the master \(sender): \(fault.reason); \(remedy)"
      notice = Notice(line, .warning, .patches, of: "the rhythm")
    }
    effect.notices.append(notice)
    return effect
  }

  /// Changes the patch. The clock thread changes to it at the beginning of a bar.
  private mutating func change(
    to patch: Patch, named name: String, in core: PeerCore, soundLead: Nanoseconds
  ) -> Effect {
    (self.patch, self.name) = (patch, name)
    let table = StepTable(patch)
    // A pushed hit sounds before its step, so each step must be passed to the sound earlier.
    if table.maximumPush > maximumPush {
      maximumPush = table.maximumPush
      core.ensemble.raiseSoundLead(to: soundLead + maximumPush)
    }
    let notice = share(with: core)
    number &+= 1
    tick = firstTick(of: table, in: core.ensemble, at: MonotonicClock.now)
    return Effect(table: table, notices: notice.map { [$0] } ?? [])
  }

  /// The tick at which the clock thread changes to `table`: the beginning of the first bar of `table` whose hits have not been
  /// passed to the sound at `now`.
  private func firstTick(of table: StepTable, in ensemble: EnsembleState, at now: Instant) -> Tick {
    let schedule = ensemble.schedule
    guard ensemble.role != .idle, schedule.run != 0 else { return Tick(0) }
    let ticksPerBar = Int64(table.stepsPerBar) * Tick.perStep
    let first = max(schedule.firstTick(notBefore: now + ensemble.soundLead), schedule.start).index
    let (bar, rest) = first.quotientAndRemainder(dividingBy: ticksPerBar)
    return Tick((rest > 0 ? bar + 1 : bar) * ticksPerBar)
  }

  /// Passes the properties of the patch to the ensemble, and makes its text available to the other peers. A patch that is too long is not
  /// shared, and the player is informed.
  func share(with core: PeerCore) -> Notice? {
    core.ensemble.ticksPerBar = patch.meter.ticksPerBar
    core.ensemble.layerChange = patch.layerChange
    let shared = SharedPatch(Array(patch.text.utf8))
    core.ensemble.play(shared)
    guard shared == nil else { return nil }
    let limit = SharedPatch.maximumLength / 1024
    return Notice("rhythm \(name): longer than \(limit) KiB, so the other peers keep their own; shorten it")
  }
}
