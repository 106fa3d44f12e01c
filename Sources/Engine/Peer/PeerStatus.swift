public import Ensemble
public import MusicalTime
import Realtime

/// What a peer shows of itself while it plays.
public struct PeerStatus: Sendable {
  public var role: Role
  /// That of the outside clock while it is kept, as its ticks tell: the rhythm's own is steered to make errors good.
  public var tempo: Tempo
  /// Bar and beat, counted from one; where it would go on while nobody plays.
  public var bar: Int64
  public var beat: Int64
  /// Peers in session.
  public var peers: Int
  /// The master's clock minus the own, nil when there is no master or nothing is known.
  public var clockOffset: Nanoseconds?
  /// The player's own, and what everybody's comes to.
  public var activity: UInt8
  public var total: UInt8
}

extension Peer {
  /// What the peer is doing now.
  public var status: PeerStatus {
    let now = MonotonicClock.now
    let tick = ensemble.role == .idle ? Tick(of: ensemble.position) : ensemble.schedule.tick(at: now)
    let (bar, beat) = configuration.patch.meter.position(of: tick)
    let kept = outsideClock?.leads(ensemble) == true ? outsideClock?.tempo : nil
    let tempo = kept ?? (ensemble.role == .idle ? tempo : ensemble.tempo(at: now))
    return PeerStatus(
      role: ensemble.role, tempo: tempo, bar: bar, beat: beat, peers: core.partners.count,
      clockOffset: ensemble.masterClock(at: now)?.offset, activity: ensemble.activity,
      total: ensemble.totalActivity(at: now))
  }
}
