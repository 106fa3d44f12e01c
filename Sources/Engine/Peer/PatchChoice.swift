import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Rhythm

/// The rhythms of this peer: the choice of the player, the rhythm that plays, and those of the other peers.
struct PatchChoice {
  /// The effect of a choice, or of a change of the schedule.
  struct Effect {
    /// The tables that the clock thread needs from now on, and the place of each.
    var tables: [(place: Int, table: RhythmTable)] = []
    /// The table of the rhythm that plays, or that plays from the next bar on; nil if it does not change.
    var table: StepTable?
    /// The lines for the player.
    var notices: [Notice] = []
  }

  /// A rhythm that this peer can play.
  private struct Known {
    let patch: Patch
    let name: String
  }

  /// The patch that plays, or that plays from ``tick`` on. While the peer is silent, because it has not received the rhythm of the master
  /// yet, the patch of before.
  private(set) var patch: Patch
  /// The name of ``patch`` for the player, as the user has written it. For a received patch: the name in the patch and, in brackets,
  /// the name of the peer that has sent the patch.
  private(set) var name: String
  /// The name of the patch that the player has chosen last, as the user has written it.
  private(set) var chosenName: String
  /// The tempo in the patch that the player has chosen last.
  private var chosenTempo: Tempo
  /// The number of changes of ``patch`` and ``tick`` since the peer started.
  private(set) var number: UInt32 = 0
  /// The tick from which the steps of ``patch`` count: its first tick, unless it began before this peer entered.
  private(set) var tick = Tick(0)
  /// Whether this peer has the rhythm that plays. False while it is silent.
  private(set) var hasRhythm = true
  /// The longest time by which a hit can sound earlier than its step, in all patches that have played. Each step is passed to the sound
  /// earlier by this time.
  private(set) var maximumPush: Nanoseconds
  /// Checks the patches that other peers have sent.
  let checker: PatchChecker
  /// The digest of ``patch``; nil if its text is too long to be shared.
  private var digest: DocumentDigest?
  /// The rhythms that this peer can play, by their digests.
  private var known: [DocumentDigest?: Known] = [:]
  /// The digests of the tables in the two places of the clock thread; the outer nil: none.
  private var places: [DocumentDigest??] = [nil, nil]
  /// The chords of the score, which replace those of the rhythm.
  private var chords = ScoreChords()
  /// Whether the player has chosen the rhythm since the last run.
  private var isChosen: Bool
  /// The rhythm of which the player knows that it is awaited.
  private var awaited: DocumentDigest?

  /// - Parameter table: the table of the configured patch.
  init(_ configuration: PeerConfiguration, _ table: StepTable, bell: Doorbell) {
    (patch, name, chosenName) = (configuration.patch, configuration.patchName, configuration.patchName)
    (maximumPush, checker, isChosen) = (table.maximumPush, PatchChecker(bell: bell), configuration.isPatchChosen)
    chosenTempo = configuration.patch.tempo
  }

  /// Selects the configured patch at the start of the peer.
  mutating func begin(in core: PeerCore, soundLead: Nanoseconds, at now: Instant) -> Effect {
    select(patch, named: name, in: core, soundLead: soundLead, at: now)
  }

  /// Plays the patch that the player has chosen, unless this peer plays the patch of its master.
  ///
  /// - Parameters:
  ///   - tempo: the tempo of the rhythm, or of the next start; nil if the player cannot change it.
  ///   - soundLead: ``SoundOutputs/lead``.
  mutating func choose(
    _ patch: Patch, named name: String, at tempo: Tempo?, in core: PeerCore, soundLead: Nanoseconds, at now: Instant
  ) -> Effect {
    if !core.ensemble.choosesPatch, let master = core.ensemble.role.master {
      return Effect(
        notices: [Notice("rhythm \(name): not played. \(core.description(of: .belongsTo(master)))")])
    }
    let isEdited = name == chosenName && patch.tempo != chosenTempo
    (chosenName, chosenTempo, isChosen) = (name, patch.tempo, true)
    var effect = select(patch, named: name, in: core, soundLead: soundLead, at: now)
    let schedule = core.ensemble.schedule
    let start =
      core.ensemble.role == .idle
      ? "chosen; it plays when the rhythm starts"
      : schedule.rhythm.next.digest == core.ensemble.rhythm.digest
        ? "plays from the next bar on"
        : "plays from the next bar on, or one bar later if the other peers do not have it yet"
    effect.notices.append(Notice("rhythm \(name): \(start)"))
    // The tempo stays with the ensemble until a player changes it (``StartTempo``). A player who edits it in the file may not know this.
    if isEdited, let tempo, tempo != patch.tempo {
      let (written, present) = (Self.text(of: patch.tempo), Self.text(of: tempo))
      let remedy = "to use \(written) BPM, enter `:tempo \(written)`"
      effect.notices.append(Notice("tempo: \(written) BPM in the file, but the tempo stays \(present) BPM; \(remedy)"))
    }
    return effect
  }

  /// The tempo in BPM, rounded to hundredths.
  private static func text(of tempo: Tempo) -> String {
    let bpm = (tempo.bpm * 100).rounded() / 100
    return Int(exactly: bpm).map { "\($0)" } ?? "\(bpm)"
  }

  /// Makes the text of a patch available to the other peers and passes its properties to the ensemble. A patch that is too long is not
  /// shared, and the player is informed.
  private mutating func select(
    _ patch: Patch, named name: String, in core: PeerCore, soundLead: Nanoseconds, at now: Instant
  ) -> Effect {
    let document = Document(.rhythm, Array(patch.text.utf8))
    known[document?.digest] = Known(patch: patch, name: name)
    let choice = RhythmChoice(digest: document?.digest, meter: patch.meter, layerChange: patch.layerChange)
    core.ensemble.play(choice, document: document, at: now)
    var effect = Effect()
    if document == nil {
      let limit = Document.maximumLength / 1024
      effect.notices.append(
        Notice("rhythm \(name): longer than \(limit) KiB, so the other peers keep their own; shorten it"))
    }
    if core.ensemble.role == .idle {
      show(document?.digest, from: Tick(0), in: &effect)
      publish([RhythmLine(document?.digest)], in: core, soundLead: soundLead, to: &effect, at: now)
    }
    return effect
  }

  /// Records that a received patch can be played. If it cannot, informs the player.
  mutating func accept(_ checked: PatchChecker.Checked, in core: PeerCore, at now: Instant) -> Notice? {
    let (digest, sender) = (checked.document.digest, core.name(of: checked.sender))
    switch checked.result {
    case .success(let patch):
      known[digest] = known[digest] ?? Known(patch: patch, name: "\(patch.name) (\(sender))")
      core.ensemble.accept(digest, at: now)
      return nil
    case .failure(let fault):
      core.ensemble.refuse(digest, at: now)
      let remedy = "ask \(sender) to correct it; this peer keeps \(name)"
      return Notice("rhythm from \(sender): \(fault.reason); \(remedy)", .warning, .patches, of: "the rhythm")
    }
  }

  /// Follows the rhythm of the schedule: passes its tables to the clock thread before the schedule, and adopts the rhythm of a master.
  ///
  /// - Parameter soundLead: ``SoundOutputs/lead``.
  mutating func follow(_ core: PeerCore, soundLead: Nanoseconds, at now: Instant) -> Effect {
    var effect = Effect()
    let (role, schedule) = (core.ensemble.role, core.ensemble.schedule)
    guard role != .idle, schedule.run != 0 else {
      hasRhythm = true
      if let digest = core.ensemble.lastRun?.rhythm {
        adoptLast(digest, in: core, soundLead: soundLead, to: &effect, at: now)
      }
      return effect
    }
    isChosen = false
    // The tables are made again if they get other chords.
    let isRenewed = chords.follow(schedule, at: schedule.tick(at: now), scores: { core.ensemble.score($0) })
    publish(
      [schedule.rhythm.value, schedule.rhythm.next], isRenewed: isRenewed, in: core, soundLead: soundLead, to: &effect,
      at: now)
    let line = schedule.rhythm.next
    hasRhythm = known[schedule.rhythm[schedule.tick(at: now)].digest] != nil
    guard let next = known[line.digest] else {
      if !hasRhythm, awaited != line.digest, let master = role.master {
        awaited = line.digest
        let line =
          "the rhythm of \(core.name(of: master)) is not here yet; this peer is silent until the bar after its arrival"
        effect.notices.append(Notice(line, .notice, .patches, of: "the rhythm"))
      }
      return effect
    }
    awaited = nil
    guard line.digest != digest || line.origin != tick else {
      if isRenewed { effect.table = table(of: patch, from: tick, in: core, at: now) }
      return effect
    }
    if line.digest != digest, let master = role.master, !core.ensemble.playsOwnRhythm {
      let start = schedule.rhythm.isChanging ? "plays from the next bar on" : "plays"
      let line = "rhythm \(next.patch.name): \(start); the master \(core.name(of: master)) has chosen it"
      effect.notices.append(Notice(line, .notice, .patches, of: "the rhythm"))
    }
    show(line.digest, from: line.origin, in: &effect)
    effect.table = table(of: patch, from: tick, in: core, at: now)
    if let digest, digest != core.ensemble.rhythm.digest, role.master != nil { adopt(digest, in: core, at: now) }
    return effect
  }

  /// The line for the player if the rhythm that plays does not have this part. Nil if it has the part, or if it is not here yet.
  func absence(of part: Part) -> String? {
    let parts = patch.presentParts
    guard hasRhythm, !parts.contains(part) else { return nil }
    let names = parts.map(\.name).joined(separator: ", ")
    return "part \(part.name): the rhythm \(name) has none; give one of: \(names), or choose another rhythm"
  }

  /// While nobody plays, adopts the last rhythm of the other peers, unless the player has chosen a rhythm.
  private mutating func adoptLast(
    _ last: DocumentDigest, in core: PeerCore, soundLead: Nanoseconds, to effect: inout Effect, at now: Instant
  ) {
    guard !isChosen, last != digest, core.ensemble.followsPatch, let next = known[last] else { return }
    show(last, from: Tick(0), in: &effect)
    publish([RhythmLine(last)], in: core, soundLead: soundLead, to: &effect, at: now)
    adopt(last, in: core, at: now)
    effect.notices.append(
      Notice(
        "rhythm \(next.patch.name): chosen, as the last one of the other players", .info, .patches, of: "the rhythm"))
  }

  /// Makes the rhythm that this peer shows the one with which it would start.
  private func adopt(_ digest: DocumentDigest, in core: PeerCore, at now: Instant) {
    let choice = RhythmChoice(digest: digest, meter: patch.meter, layerChange: patch.layerChange)
    core.ensemble.play(choice, document: core.ensemble.document(digest), at: now)
  }

  /// Shows a known rhythm to the player.
  private mutating func show(_ digest: DocumentDigest?, from tick: Tick, in effect: inout Effect) {
    guard let next = known[digest] else { return }
    (patch, name, self.digest, self.tick) = (next.patch, next.name, digest, tick)
    number &+= 1
    effect.table = StepTable(patch)
  }

  /// The table of a rhythm whose step 0 is at `origin`, with the chords of the score if it has any.
  private func table(of patch: Patch, from origin: Tick, in core: PeerCore, at now: Instant) -> StepTable {
    let schedule = core.ensemble.schedule
    guard core.ensemble.role != .idle, let window = chords.window(from: schedule.tick(at: now), origin: origin) else {
      return StepTable(patch)
    }
    return StepTable(patch, following: window)
  }

  /// Passes the tables of these rhythms to the clock thread, except those that it has already. Forgets rhythms that no peer offers any
  /// longer.
  ///
  /// - Parameter isRenewed: whether the tables that the clock thread has are made again.
  private mutating func publish(
    _ lines: [RhythmLine], isRenewed: Bool = false, in core: PeerCore, soundLead: Nanoseconds, to effect: inout Effect,
    at now: Instant
  ) {
    for (index, line) in lines.enumerated() where !lines[..<index].contains(where: { $0.digest == line.digest }) {
      let digest = line.digest
      let present = places.firstIndex(of: .some(digest))
      guard let rhythm = known[digest], isRenewed || present == nil,
        let place = present
          ?? places.firstIndex(where: { place in
            guard let place else { return true }
            return !lines.contains { $0.digest == place }
          })
      else { continue }
      places[place] = .some(digest)
      let table = table(of: rhythm.patch, from: line.origin, in: core, at: now)
      effect.tables.append((place, RhythmTable(digest: digest, table: table)))
      // A pushed hit sounds before its step, so each step must be passed to the sound earlier.
      if table.maximumPush > maximumPush {
        maximumPush = table.maximumPush
        core.ensemble.raiseSoundLead(to: soundLead + maximumPush)
      }
    }
    guard !effect.tables.isEmpty else { return }
    let ensemble = core.ensemble
    known = known.filter { digest, _ in
      digest == nil || digest == self.digest || digest == ensemble.rhythm.digest || places.contains(.some(digest))
        || ensemble.document(digest!) != nil
    }
  }
}
