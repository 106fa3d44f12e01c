import MusicalTime
import PeerProtocol
import Playback

// How the rhythm changes while it plays.
//
// The master changes the rhythm at a bar line, and all peers change with it. Its presence first reports the selection, so that the other
// peers can request the text. The master waits until all of them have answered, but at most for a bar. Then it announces the change for the
// next bar line in the timeline message. A peer that was not ready in time is silent from this bar line on, and enters at the first bar
// line after the text has arrived. The next change does not wait for this peer. A hostile peer can thus delay only one change, by one bar.
//
// A peer that does not play a shared rhythm, because its player wants that or because it cannot, continues its own rhythm
// (``SoundingRun/OwnRhythm``).
extension EnsembleState {
  /// Requests a change to ``rhythm``.
  mutating func requestRhythm(at now: Instant) {
    let bar = schedule.grid[schedule.tick(at: now)].meter.ticksPerBar
    let length = Nanoseconds(schedule.tempo(at: now).nanosecondsPerQuarter * bar / Tick.perQuarter)
    let request = Leader.RhythmRequest(choice: rhythm, end: now + length)
    leader?.rhythmRequest = request
    settleRhythm(at: now)
  }

  /// If the tick of the pending change has passed, makes its rhythm the present one. Then announces the requested rhythm, unless there is
  /// none or it must wait.
  mutating func settleRhythm(at now: Instant) {
    var run = run!
    let present = schedule.tick(at: now)
    timelineMessage!.rhythm.settle(at: present)
    timelineMessage!.grid.settle(at: present)
    let message = timelineMessage!
    if run.own != nil, message.rhythm.value.digest == rhythm.digest {
      run.own = nil
      run.message = message
      play(run)
    }
    let soonest = max(message.start, schedule.firstTick(notBefore: now + lead))
    guard let request = leader?.rhythmRequest, !message.rhythm.isChanging || message.rhythm.tick >= soonest else {
      return
    }
    let awaited = peersWithoutAnswer(to: request.choice.digest, at: now)
    guard awaited.isEmpty || now >= request.end else { return }
    leader!.rhythmRequest = nil
    leader!.latePeers.formUnion(awaited)
    let (line, bars) = (message.rhythm.value, message.grid.value)
    if request.choice.digest == line.digest {
      guard message.rhythm.isChanging else { return }
      // The player has returned to the rhythm that plays before the change took effect.
      timelineMessage!.rhythm = ChangingValue(line)
      if message.score.next.digest == nil { timelineMessage!.grid = ChangingValue(bars) }
      return announce(at: now)
    }
    let tick = ChangingValue(bars).line(notBefore: soonest)
    let next = RhythmLine(request.choice.digest, from: tick)
    timelineMessage!.rhythm = ChangingValue(line, next: next, from: tick)
    // The metres of a score go before the meter of the rhythm.
    let keepsBars = bars.meter == request.choice.meter || message.score.next.digest != nil
    let nextBars = keepsBars ? bars : BarGrid(request.choice.meter, from: tick)
    if message.score.next.digest == nil {
      timelineMessage!.grid = keepsBars ? ChangingValue(bars) : ChangingValue(bars, next: nextBars, from: tick)
    }
    if let own = run.own {
      // The local peer took over the rhythm of another peer, and continued its own.
      run.own!.rhythm = ChangingValue(own.rhythm.next, next: next, from: tick)
      run.own!.grid = ChangingValue(own.grid.next, next: nextBars, from: tick)
    }
    announce(playing: run, at: now)
  }

  /// The followers for which a change to the rhythm with this digest waits.
  private func peersWithoutAnswer(to digest: DocumentDigest?, at now: Instant) -> [Identity] {
    // Without a digest, the others play their own rhythms.
    guard let digest, let leader else { return [] }
    return roster.members.filter { member in
      guard let presence = roster[member.slot].membership?.presence, presence.claim == claim,
        roster[member.slot].isPresent(at: now), presence.answer != .playsItsOwn
      else { return false }
      return presence.answer.digest != digest && presence.rhythm != digest
        && !leader.latePeers.contains(member.identity)
    }.map(\.identity)
  }

  /// When ``settleRhythm(at:)`` must be called next; the distant future if no change is pending.
  var rhythmDeadline: Instant {
    if let message = timelineMessage, message.rhythm.isChanging { return message.deadline(message.rhythm.tick) }
    return leader?.rhythmRequest?.end ?? .distantFuture
  }

  /// Handles the answer of a follower: informs the player of a peer that cannot play the rhythm, or that does not have it yet.
  mutating func heardAnswer(_ presence: Presence, at now: Instant) {
    guard var leader, let message = timelineMessage, presence.claim == message.claim,
      let playing = message.rhythm.value.digest
    else { return }
    let peer = presence.identity
    switch presence.answer {
    case .ready(let digest):
      leader.latePeers.remove(peer)
      guard leader.silentPeers[peer] == digest else { break }
      leader.silentPeers[peer] = nil
      emit(.event(.rhythmOfPeer(peer, .arrived)))
    case .refused(let digest):
      guard digest == playing || digest == rhythm.digest, leader.silentPeers[peer] != digest else { break }
      leader.silentPeers[peer] = digest
      emit(.event(.rhythmOfPeer(peer, .refused)))
    case .none:
      // A peer that has just begun to follow has not yet had the time to answer.
      let beginning = max(leader.since, schedule.deadline(max(message.rhythm.value.origin, message.start)))
      guard presence.rhythm != playing, now >= beginning + .milliseconds(500), leader.silentPeers[peer] != playing
      else { break }
      leader.silentPeers[peer] = playing
      emit(.event(.rhythmOfPeer(peer, .missing)))
    case .playsItsOwn: break
    }
    self.leader = leader
  }

  // MARK: Own rhythm

  /// Whether the local peer plays its own rhythm instead of that of the ensemble.
  public var playsOwnRhythm: Bool { run?.own != nil }

  /// Plays ``rhythm`` instead of the rhythms of the master that the local peer does not play, and changes ``rhythm`` at a bar line if the
  /// player has chosen another one.
  mutating func settleOwnRhythm(at now: Instant) {
    guard role.master != nil, isScheduled, var run else { return }
    settleOwnRhythm(in: &run, at: now)
    play(run)
  }

  /// Sets ``SoundingRun/own`` of a run that the local peer plays as a follower, or begins to play.
  mutating func settleOwnRhythm(in run: inout SoundingRun, at now: Instant) {
    if isScheduled {
      let tick = schedule.tick(at: now)
      run.message.rhythm.settle(at: tick)
      run.message.grid.settle(at: tick)
    }
    run.playsScore = followsPatch
    let (lines, grids) = (run.message.rhythm, run.message.grid)
    let (present, next) = (!playsShared(lines.value.digest), !playsShared(lines.next.digest))
    guard present || next else {
      run.own = nil
      return
    }
    var own: SoundingRun.OwnRhythm
    if let former = run.own {
      own = former
    } else if isScheduled, !present {
      // Only the next rhythm cannot be played. The present one continues.
      own = SoundingRun.OwnRhythm(rhythm: ChangingValue(lines.value), grid: ChangingValue(grids.value))
    } else {
      let origin = lines.value.origin
      own = SoundingRun.OwnRhythm(
        rhythm: ChangingValue(RhythmLine(rhythm.digest, from: origin)),
        grid: ChangingValue(BarGrid(rhythm.meter, from: origin)))
    }
    (own.replacesPresent, own.replacesNext) = (present, next)
    if own.rhythm.next.digest != rhythm.digest {
      let soonest = schedule.firstTick(notBefore: now + soundLead)
      let tick = own.grid.line(notBefore: max(soonest, run.entry))
      own.rhythm = ChangingValue(
        own.rhythm[soonest], next: RhythmLine(rhythm.digest, from: tick), from: tick)
      own.grid = ChangingValue(own.grid[soonest], next: BarGrid(rhythm.meter, from: tick), from: tick)
    }
    run.own = own
  }
}
