/// Why a player's command was not carried out.
public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rhythm belongs to the peer with this identity until it stops it.
  case belongsTo(Identity)
  /// This peer plays already.
  case alreadyPlaying
  /// Nobody plays.
  case nothingPlays

  public var description: String {
    switch self {
    case .belongsTo(let identity): "the rhythm belongs to \(identity); wait until that peer stops it"
    case .alreadyPlaying: "the rhythm plays already; stop it first"
    case .nothingPlays: "no rhythm plays; start one first"
    }
  }
}
