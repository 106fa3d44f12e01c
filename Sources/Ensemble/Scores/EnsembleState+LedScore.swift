import MusicalTime
import PeerProtocol
import Playback
import Scores

// The score while the local peer is the master.
extension EnsembleState {
  /// The tempo changes of a score are announced in advance. When fewer than this number remain, the list is filled up again.
  private static var fewChanges: Int { 4 }
  /// How long before its end the end of a score is announced. The announced end cannot be moved to a later tick.
  private static var endNotice: Nanoseconds { .seconds(1) }

  /// Plans the lines of the timeline message, because the local peer has become the master, or has received the score.
  mutating func planScore(at now: Instant) {
    guard let lines = timelineMessage?.score else { return }
    shelf.tempoFactor = timelineMessage!.tempoFactor
    let (present, next) = (plan(lines.value), lines.isChanging ? plan(lines.next) : nil)
    leader?.score.present = present
    leader?.score.next = next
    settleScore(at: now)
  }

  /// If the tick of the announced line has passed, makes it the present one. Then announces the requested line, and what follows from the
  /// lines: the tempo, the bars and the end.
  mutating func settleScore(at now: Instant) {
    guard role == .master, var led = leader?.score else { return }
    let present = schedule.tick(at: now)
    if timelineMessage!.score.isChanging, timelineMessage!.score.tick <= present {
      timelineMessage!.score.settle(at: present)
      (led.present, led.next) = (led.next, nil)
    }
    timelineMessage!.tempo.settle(at: present)
    timelineMessage!.grid.settle(at: present)
    let former = timelineMessage!
    let soonest = max(former.start, schedule.firstTick(notBefore: now + lead))
    announceRequest(&led, notBefore: soonest, at: now)
    leader!.score = led
    guard former.score != ChangingValue(.none) || timelineMessage!.score != former.score else { return }
    if led.setsTempo { announceTempo(led, notBefore: soonest, refilling: timelineMessage!.score != former.score) }
    announceBars(led, notBefore: soonest)
    announceEnd(led, notBefore: soonest, at: now)
    if timelineMessage! != former { announce(at: now) }
  }

  /// When ``settleScore(at:)`` must be called next; the distant future if nothing is to be done.
  var scoreDeadline: Instant {
    guard let message = timelineMessage, let led = leader?.score else { return .distantFuture }
    var next = Instant.distantFuture
    if message.score.isChanging { next = min(next, message.deadline(message.score.tick)) }
    if led.present != nil, message.grid.isChanging { next = min(next, message.deadline(message.grid.tick)) }
    if case .score(_, _, let end)? = led.request { next = min(next, end) }
    if message.end == Tick(.max), let end = (led.next ?? led.present)?.end {
      next = min(next, message.deadline(end) - lead - Self.endNotice)
    }
    return next
  }

  /// Announces the requested line for a bar line, unless an announced change is too close to be replaced, or other peers need time to get the
  /// score.
  private mutating func announceRequest(_ led: inout LedScore, notBefore soonest: Tick, at now: Instant) {
    guard let request = led.request else { return }
    let lines = timelineMessage!.score
    if lines.isChanging, lines.tick < soonest { return }
    if case .score(let digest?, _, let end) = request, now < end, !awaitsNobody(score: digest, at: now) { return }
    led.request = nil
    guard let (tick, line) = line(of: request, from: led.present, notBefore: soonest) else { return }
    led.next = plan(line)
    timelineMessage!.score = ChangingValue(lines.value, next: line, from: tick)
  }

  /// Whether all followers have a score.
  private func awaitsNobody(score digest: DocumentDigest, at now: Instant) -> Bool {
    roster.members.allSatisfy { member in
      guard let presence = roster[member.slot].membership?.presence, presence.claim == claim,
        roster[member.slot].isPresent(at: now), presence.answer != .playsItsOwn
      else { return true }
      return presence.score == digest
    }
  }

  /// The line of a request, and the bar line from which it plays. Nil if the request has become impossible.
  private func line(
    of request: LedScore.Request, from plan: ScorePlan?, notBefore soonest: Tick
  ) -> (Tick, ScoreLine)? {
    var line = timelineMessage!.score.value
    let next = plan?.bar(notBefore: soonest)
    // After the last bar of the score, a line begins at its end.
    let tick = next?.tick ?? plan?.end ?? timelineMessage!.grid.line(notBefore: soonest)
    guard tick >= soonest else { return nil }
    switch request {
    case .score(let digest, let playsRhythm, _):
      return (tick, digest == nil ? .none : ScoreLine(digest, from: tick, playsRhythm: playsRhythm))
    case .rhythm(let playsRhythm):
      line.playsRhythm = playsRhythm
      return (tick, line)
    case .bar(let bar):
      return (tick, ScoreLine(line.digest, from: tick, bar: UInt16(bar), playsRhythm: line.playsRhythm))
    case .loop(let bars):
      line.keepPlace(of: plan, at: tick)
      (line.origin, line.bar, line.loopEnd) = (tick, UInt16(bars.lowerBound), UInt16(bars.upperBound))
      // If a bar of the loop comes next, it is not played from its beginning.
      if let next, let plan, bars.contains(plan.written(next)), let loop = self.plan(line) {
        let index = plan.written(next) - bars.lowerBound
        line.origin = tick + -loop.route.tick(ofPlayedBar: index).index
      }
      return (tick, line)
    case .vamp:
      guard let plan, let bar = plan.bar(at: tick + -1) else { return nil }
      line.keepPlace(of: plan, at: tick)
      let written = UInt16(plan.written(bar))
      (line.origin, line.bar, line.loopEnd) = (tick, written, written + 1)
      return (tick, line)
    case .endLoop:
      guard let plan, plan.isLoop else { return nil }
      let turns = (soonest - line.origin + plan.length - 1) / plan.length
      let end = line.origin + max(turns, 1) * plan.length
      (line.origin, line.bar, line.loopEnd) = (end, line.loopEnd, 0)
      return (end, line)
    case .ending(let number):
      guard let plan, let score = line.digest.flatMap({ score($0) }) else { return nil }
      return ending(number, in: plan, of: score, notBefore: soonest)
    }
  }

  /// The line that takes an ending, and the tick at which the endings begin; the next bar line if one of them plays.
  private func ending(
    _ number: Int, in plan: ScorePlan, of score: Score, notBefore soonest: Tick
  ) -> (Tick, ScoreLine)? {
    guard var bar = plan.bar(notBefore: soonest), let before = plan.bar(at: bar.tick + -1) ?? plan.bar(at: bar.tick),
      let (first, target) = score.ending(number, after: plan.written(before))
    else { return nil }
    var line = plan.line
    line.keepPlace(of: plan, at: bar.tick)
    (line.bar, line.pass, line.loopEnd) = (UInt16(target), UInt8(clamping: number), 0)
    // The bars before the endings play first.
    while plan.written(before) < first, plan.written(bar) != first {
      guard let next = plan.bar(notBefore: bar.tick + 1), next.tick > bar.tick, !plan.isLoop else { return nil }
      bar = next
    }
    line.origin = bar.tick
    return (bar.tick, line)
  }

  /// The plan that holds at a tick.
  private func plan(at tick: Tick, _ led: LedScore) -> ScorePlan? {
    tick >= timelineMessage!.score.tick ? led.next : led.present
  }

  /// Announces the next changes of the tempo, as many as there is room for.
  ///
  /// - Parameter refilling: whether the announced changes are no longer right.
  private mutating func announceTempo(_ led: LedScore, notBefore soonest: Tick, refilling: Bool) {
    var map = timelineMessage!.tempo
    if refilling { map.removeChanges(from: soonest) }
    guard map.changeCount < Self.fewChanges else { return }
    let changeOfLine = timelineMessage!.score.tick
    var tick = max(soonest, (map.changes.last?.tick).map { $0 + 1 } ?? soonest)
    // A loop whose tempo never changes has no end.
    var candidates = 0
    while map.changeCount < TempoMap.maximumChanges, candidates < 64 {
      candidates += 1
      let plan = plan(at: tick, led)
      if let written = plan?.tempo(at: tick) {
        let tempo = scaled(written)
        if tempo != map.last, !map.append(TempoChange(tempo: tempo, tick: tick)) { break }
      }
      var next = plan?.tempoChange(after: tick) ?? Tick(.max)
      if tick < changeOfLine { next = min(next, changeOfLine) }
      guard next != Tick(.max) else { break }
      tick = next
    }
    timelineMessage!.tempo = map
  }

  /// Announces the next change of the bars.
  private mutating func announceBars(_ led: LedScore, notBefore soonest: Tick) {
    let message = timelineMessage!
    // A change that is too close to be replaced stays.
    if message.grid.isChanging, message.grid.tick < soonest { return }
    let now = message.grid[soonest + -1]
    var next = led.present?.grid(after: soonest + -1, from: now)
    if message.score.isChanging, next.map({ $0.origin >= message.score.tick }) ?? true {
      let tick = message.score.tick
      next = led.next.flatMap { plan in
        guard let bar = plan.bar(notBefore: tick), bar.tick == tick else { return plan.grid(after: tick, from: now) }
        let meter = plan.meter(of: bar)
        if meter != now.meter || !now.begins(at: tick) { return BarGrid(meter, from: tick) }
        return plan.grid(after: tick, from: now)
      }
      // Without a score, the bars are those of the rhythm again.
      if led.next == nil, message.score.next.digest == nil, now.meter != rhythm.meter {
        next = BarGrid(rhythm.meter, from: tick)
      }
    }
    timelineMessage!.grid = next.map { ChangingValue(now, next: $0, from: $0.origin) } ?? ChangingValue(now)
  }

  /// Announces the end of the rhythm if the score ends soon.
  private mutating func announceEnd(_ led: LedScore, notBefore soonest: Tick, at now: Instant) {
    guard timelineMessage!.end == Tick(.max), led.request == nil else { return }
    let plan = timelineMessage!.score.isChanging ? led.next : led.present
    guard let end = plan?.end, now >= timelineMessage!.deadline(end) - lead - Self.endNotice else { return }
    timelineMessage!.end = max(end, soonest).roundedUpToStep
  }

  /// Changes the factor of the tempo at the first tick that is at least ``lead`` from now.
  mutating func announce(tempoFactor: UInt32, at now: Instant) {
    let soonest = max(timelineMessage!.start, schedule.firstTick(notBefore: now + lead))
    (shelf.tempoFactor, timelineMessage!.tempoFactor) = (tempoFactor, tempoFactor)
    announceTempo(leader!.score, notBefore: soonest, refilling: true)
    announce(at: now)
  }
}

extension ScoreLine {
  /// Takes over the pass of the bar that ends at a tick, and whether it is after a jump. A loop keeps them for the bars after it.
  fileprivate mutating func keepPlace(of plan: ScorePlan?, at tick: Tick) {
    guard let plan, !plan.isLoop, let bar = plan.bar(at: tick + -1) else { return }
    let played = plan.route.bars[bar.index]
    (pass, isAfterJump) = (UInt8(clamping: played.pass), played.isAfterJump)
  }
}
