import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm

// The patch that plays: the choice of the player, or the patch of the master.
extension Peer {
  /// Plays the patch that the player has chosen, unless this peer plays the patch of its master.
  func choose(_ patch: Patch, named name: String) {
    guard ensemble.choosesPatch else {
      let master = ensemble.role.master.map { self.name(of: $0) } ?? "the master"
      let remedy = "to play your own rhythm, start this peer with --own-patch"
      return log.notice("rhythm \(name): not played, because the master \(master) chooses the rhythm; \(remedy)")
    }
    chosenPatchName = name
    change(patch: patch, named: name)
    let effect = ensemble.role == .idle ? "chosen; it plays when the rhythm starts" : "plays from the next bar on"
    log.notice("rhythm \(name): \(effect)")
  }

  /// Plays the patches of the master that were received and checked since the last call, and informs the player about patches that cannot
  /// be played.
  func handlePatches(at now: Instant) {
    for checked in patchChecker.take() {
      let sender = name(of: checked.sender)
      switch checked.result {
      case .success(let patch):
        // The master or its patch may have changed during the check.
        guard ensemble.role.master == checked.sender, ensemble.masterPatch == checked.shared.digest,
          ensemble.followsPatch
        else { continue }
        change(patch: patch, named: "\(patch.name) (\(sender))")
        let line = "rhythm \(patch.name): received from the master \(sender), plays from the next bar on"
        write(line, .notice, .patches, of: "the rhythm", at: now)
      case .failure(let reason):
        ensemble.refuse(checked.shared.digest)
        let remedy = "ask \(sender) to correct it; this peer keeps \(patchName)"
        let line = "rhythm of the master \(sender): \(reason.text); \(remedy)"
        write(line, .warning, .patches, of: "the rhythm", at: now)
      }
    }
  }

  /// Plays another patch. The clock thread changes to it at the beginning of a bar.
  private func change(patch: Patch, named name: String) {
    (self.patch, patchName) = (patch, name)
    let table = StepTable(patch)
    // A pushed hit sounds before its step, so each step must be passed to the sound earlier.
    if table.maximumPush > maximumPush {
      maximumPush = table.maximumPush
      raiseSoundLead()
    }
    ensemble.ticksPerBar = patch.meter.ticksPerBar
    ensemble.layerChange = patch.layerChange
    share()
    patchChange = PatchChange(number: patchChange.number &+ 1, tick: nextPatchTick(of: table, at: MonotonicClock.now))
    clock.play(table)
    followChords(of: table)
  }

  /// The tick at which the clock thread changes to `table`: the beginning of the first bar of `table` whose hits have not been
  /// passed to the sound at `now`.
  private func nextPatchTick(of table: StepTable, at now: Instant) -> Tick {
    let schedule = ensemble.schedule
    guard ensemble.role != .idle, schedule.run != 0 else { return Tick(0) }
    let ticksPerBar = Int64(table.stepsPerBar) * Tick.perStep
    let first = max(schedule.firstTick(notBefore: now + ensemble.soundLead), schedule.start).index
    let (bar, rest) = first.quotientAndRemainder(dividingBy: ticksPerBar)
    return Tick((rest > 0 ? bar + 1 : bar) * ticksPerBar)
  }

  /// Makes the text of the patch that plays available to the other peers. A patch that is too long is not shared.
  func share() {
    let shared = SharedPatch(Array(patch.text.utf8))
    ensemble.play(shared)
    guard shared == nil else { return }
    let limit = SharedPatch.maximumLength / 1024
    log.notice("rhythm \(patchName): longer than \(limit) KiB, so the other peers keep their own; shorten it")
  }

  /// Saves the patch that plays as a new file.
  func savePatch(to path: String) {
    let (log, name) = (log, patch.name)
    patchChecker.save(patch, to: path) { error in
      if let error { log.warning("\(error)") } else { log.notice("rhythm \(name): saved as \(path)") }
    }
  }
}
