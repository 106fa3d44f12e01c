import Ensemble
import MusicalTime

/// A plain session: everybody comes within two seconds, the first starts the rhythm, all follow until it stops a
/// second before the end.
final class Rehearsal: Script {
  private enum Part {
    case coming(Int)
    case start, stop, end
  }

  private let tempo: Tempo
  private let length: Nanoseconds
  private var part = Part.coming(0)

  init(tempo: Tempo = .standard, length: Nanoseconds) { (self.tempo, self.length) = (tempo, length) }

  func act(in room: Room) -> Instant {
    switch part {
    case .coming(let host):
      room.enter(host, activity: host == 0 ? 64 : 0)
      part = host + 1 < room.hosts.count ? .coming(host + 1) : .start
      if case .start = part { return Instant(nanoseconds: 3_500_000_000) }
      return room.now + Nanoseconds(2_000_000_000 / Int64(room.hosts.count))
    case .start:
      try? room.command(0) { core, now throws(CommandError) in try core.ensemble.start(tempo: tempo, at: now) }
      part = .stop
      return Instant(nanoseconds: 0) + length - .milliseconds(1050)
    case .stop:
      try? room.command(0) { core, now throws(CommandError) in try core.ensemble.stop(now: now) }
      part = .end
      return .distantFuture
    case .end: return .distantFuture
    }
  }
}
