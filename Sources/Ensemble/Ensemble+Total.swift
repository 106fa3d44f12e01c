import MIDI
import MusicalTime
import PeerProtocol
import Playback

// The total as the master decides it, a while before each beat, so that all change layers at the same tick.
extension Ensemble {
  /// So much before the lead a beat is decided upon, that a change of tempo told in between hardly moves it.
  private static var margin: Nanoseconds { .milliseconds(10) }
  /// So long a rhythm that was taken over goes on as it was, until everybody has told the new master its level.
  private static var inquiry: Nanoseconds { .milliseconds(250) }

  /// How often a total is told to who has come to follow. Of three in two seconds all were lost now and then where a fifth is.
  private static var tellings: Int { 8 }

  /// When the next beat is decided upon.
  var decisionDeadline: Instant {
    guard let decided = activities.decided, decided.claim == claim else { return Instant(nanoseconds: .min) }
    let beat = decided.beat + Tick.perQuarter
    return beat < schedule.end ? schedule.deadline(beat) - lead - Self.margin : .distantFuture
  }

  /// Takes a rhythm over as it is. What this peer was told of levels when it led before may have changed since: everybody
  /// tells its own anew under the new claim.
  mutating func inquire(at now: Instant) {
    activities.total.beginAnew()
    activities.keepsUntil = now + Self.inquiry
  }

  /// Tells the total anew where it has changed.
  mutating func decideTotal(at now: Instant) {
    guard let claim else { return }
    if activities.decided?.claim != claim { beginTotals(under: claim, at: now) }
    while let due = activities.repeats.first, now >= due {
      activities.repeats.removeFirst()
      tellTotal(to: nil)
    }
    guard now >= decisionDeadline, let last = activities.decided?.beat else { return }
    let soonest = schedule.firstTick(notBefore: now + lead) + (Tick.perQuarter - 1)
    let beat = max(last + Tick.perQuarter, soonest.beat)
    activities.decided = (claim, beat)
    let total = totalActivity(at: now)
    // A schedule has room for one change to come: at high tempos every other beat is decided upon, or fewer.
    let isPending =
      schedule.intensity.changeTick != Tick(.max) && schedule.deadline(schedule.intensity.changeTick) > now
    guard total != schedule.intensity.next, !isPending, now >= activities.holdsUntil else {
      // Once a bar it is told again, as the rhythm's state is, for those who have lost all that they were told of it.
      guard beat.index / Self.bar != last.index / Self.bar else { return }
      return isPending ? tellTotal(to: nil) : tellTotal(to: nil, at: now)
    }
    schedule.intensity = Intensity(schedule.intensity.next, next: total, from: beat)
    emit(.play(schedule))
    announceTotal(at: now)
  }

  /// The rhythm is this peer's now. From its first tick on, if that is still to come, the total of those who have told their
  /// level counts; of a rhythm taken over, or gone on with after a crash, the total stays until all have.
  private mutating func beginTotals(under claim: Claim, at now: Instant) {
    activities.informed = [:]
    if let start = timelineMessage?.start, schedule.deadline(start) > now, now >= activities.keepsUntil {
      activities.decided = (claim, start.beat)
      schedule.intensity = Intensity(totalActivity(at: now), from: start.beat)
      emit(.play(schedule))
      announceTotal(at: now)
      // Whoever does not take part counts no more from the next beat on.
      activities.total.beginAnew()
    } else {
      activities.decided = (claim, schedule.tick(at: now + lead).beat)
      activities.holdsUntil = now + Self.inquiry
    }
  }

  /// Three times within the lead, as the rhythm's state is.
  private mutating func announceTotal(at now: Instant) {
    tellTotal(to: nil)
    activities.repeats = [now + Nanoseconds(lead.count / 8), now + Nanoseconds(lead.count / 4)]
  }

  /// The newest total, with the instant of the beat from which it counts.
  private mutating func tellTotal(to peer: Identity?) {
    send(Self.totalLevel, schedule.intensity.next, at: schedule.deadline(schedule.intensity.changeTick), to: peer)
  }

  /// What plays now, and what is to come.
  private mutating func tellTotal(to peer: Identity?, at now: Instant) {
    let present = schedule.tick(at: now)
    let isPending = schedule.intensity.changeTick != Tick(.max) && schedule.intensity.changeTick > present
    send(Self.totalLevel, schedule.intensity.value(at: present), at: schedule.deadline(present.beat), to: peer)
    if isPending { tellTotal(to: peer) }
  }

  /// A peer that has come to follow this one has perhaps not heard the total, which is told on change alone. It is told at
  /// each of its first presences: a journal makes good the loss of a value, but not of one that it has had before, under
  /// another rhythm, and that was not for it then.
  mutating func inform(_ peer: Identity, of claim: Claim?, at now: Instant) {
    guard role == .master, claim == self.claim, activities.decided?.claim == claim else {
      activities.informed[peer] = nil
      return
    }
    let times = activities.informed[peer, default: 0]
    guard times < Self.tellings else { return }
    activities.informed[peer] = times + 1
    tellTotal(to: peer, at: now)
  }
}

extension Tick {
  /// The first tick of the quarter note it lies in.
  var beat: Tick {
    let rest = index % Tick.perQuarter
    return Tick(index - (rest < 0 ? rest + Tick.perQuarter : rest))
  }
}
