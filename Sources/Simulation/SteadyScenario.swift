import Ensemble
import MusicalTime

/// A scenario without disturbances: all peers join within two seconds, the first peer starts the rhythm, all others follow,
/// and the first peer stops the rhythm so that it ends about one second before the end of the simulation.
final class SteadyScenario: Scenario {
  /// What happens at the next call.
  private enum Phase {
    /// The peer at this host joins.
    case joining(Int)
    case start, stop, end
  }

  private let tempo: Tempo
  private let length: Nanoseconds
  private var phase = Phase.joining(0)

  init(tempo: Tempo = .standard, length: Nanoseconds) { (self.tempo, self.length) = (tempo, length) }

  func advance(_ world: VirtualWorld) -> Instant {
    switch phase {
    case .joining(let host):
      world.enter(host, activity: host == 0 ? 64 : 0)
      phase = host + 1 < world.hosts.count ? .joining(host + 1) : .start
      // The last peer joins before 2 s and has at least 1.5 s to connect.
      if case .start = phase { return Instant(nanoseconds: 3_500_000_000) }
      return world.now + Nanoseconds(2_000_000_000 / Int64(world.hosts.count))
    case .start:
      try? world.command(0) { core, now throws(CommandError) in try core.ensemble.start(tempo: tempo, at: now) }
      phase = .stop
      // The rhythm ends at the first tick that is at least the lead time of 100 ms after the command: about 0.95 s before the end of the
      // simulation.
      return Instant(nanoseconds: 0) + length - .milliseconds(1050)
    case .stop:
      try? world.command(0) { core, now throws(CommandError) in try core.ensemble.stop(now: now) }
      phase = .end
      return .distantFuture
    case .end: return .distantFuture
    }
  }
}
