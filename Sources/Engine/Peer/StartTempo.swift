import MusicalTime
import PeerProtocol

/// The tempo at which the player starts the rhythm. The tempo belongs to the band: a rhythm begins with the tempo of the last one, unless
/// the player has chosen another tempo since.
struct StartTempo {
  private(set) var value: Tempo
  /// Whether the player has chosen the tempo since the last rhythm.
  private var isChosen: Bool

  init(_ configuration: PeerConfiguration) { (value, isChosen) = (configuration.tempo, configuration.isTempoChosen) }

  /// Uses the tempo that the player has chosen.
  mutating func choose(_ tempo: Tempo) { (value, isChosen) = (tempo, true) }

  /// Adopts the tempo of a rhythm that has just ended here.
  mutating func end(_ run: LastRun?) { (value, isChosen) = (run?.tempo ?? value, false) }

  /// Adopts the tempo of the last rhythm of the other peers, unless the player has chosen a tempo. Returns whether the tempo has changed.
  mutating func adopt(_ run: LastRun) -> Bool {
    guard !isChosen, run.tempo != value else { return false }
    value = run.tempo
    return true
  }
}
