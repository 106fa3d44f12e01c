public import Ensemble
public import MusicalTime
import PeerProtocol
import Realtime
import Rhythm

/// The state of a running peer for a status display.
public struct PeerStatus: Sendable {
  public var role: Role
  /// The tempo of the rhythm. While the local peer is the master and plays by its external clock, this is the tempo of the external clock,
  /// because the tempo of the rhythm varies to correct errors.
  public var tempo: Tempo
  /// The bar, counted from one. While no rhythm plays, ``bar`` and ``beat`` are the position at which the rhythm would continue.
  public var bar: Int64
  /// The beat in the bar, counted from one.
  public var beat: Int64
  /// The number of beats in a bar.
  public var beats: Int
  /// The name of the patch as the user has written it.
  public var patchName: String
  /// The name of the instrument as the user has written it; nil if there is none.
  public var instrumentName: String?
  /// The layers of the patch, and which of them sound at ``total``.
  public var layers: [(name: String, sounds: Bool)]
  /// The parts of the rhythm with their levels in percent; nil for a stopped part. Empty if the rhythm has only drums and they play
  /// at 100 %.
  public var parts: [(name: String, level: Int?)]
  /// Whether the rhythm and all players are quiet.
  public var isQuiet: Bool
  /// Whether the local player is muted, so that the notes of this player do not sound.
  public var isMuted: Bool
  /// The number of sessions.
  public var peers: Int
  /// The master's clock minus the local clock; nil if there is no master, or if its clock is not known yet.
  public var clockOffset: Nanoseconds?
  /// The activity of the player, 0...127.
  public var activity: UInt8
  /// The total activity, 0...127.
  public var total: UInt8
}

extension Peer {
  /// The state for a status display.
  func status(at now: Instant) -> PeerStatus {
    let tick = ensemble.role == .idle ? Tick(of: ensemble.position) : ensemble.schedule.tick(at: now)
    let (bar, beat) = patch.meter.position(of: tick)
    let external = externalClock?.leads(ensemble) == true ? externalClock?.tempo : nil
    let tempo = external ?? (ensemble.role == .idle ? tempo : ensemble.tempo(at: now))
    let total = ensemble.totalActivity(at: now)
    let mix = ensemble.role == .idle ? .standard : ensemble.schedule.mix(at: tick)
    let playing = patch.parts.isEmpty && mix == .standard ? [] : [.drums] + patch.parts.map(\.part)
    return PeerStatus(
      role: ensemble.role, tempo: tempo, bar: bar, beat: beat, beats: patch.meter.beats, patchName: patches.name,
      instrumentName: instrument.name,
      layers: patch.layers.map { ($0.name, $0.activity.contains(min(total, 127))) },
      parts: playing.map { part in
        let number = Int(part.number)
        return (part.name, mix.plays(part: number) ? mix.level(ofPart: number) : nil)
      },
      isQuiet: mix.isQuiet, isMuted: ensemble.isMuted, peers: core.roster.sessionCount,
      clockOffset: ensemble.masterClock(at: now)?.offset, activity: ensemble.activity, total: total)
  }
}
