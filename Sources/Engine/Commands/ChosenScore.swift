public import Ensemble
public import Scores

/// A score that the player has chosen.
public struct ChosenScore: Hashable, Sendable {
  /// A valid score.
  public let score: Score
  /// Its compact form.
  public let document: Document
  /// The name as the user has written it.
  public let name: String

  /// Nil if the compact form is too long to be sent to other peers.
  public init?(_ score: Score, named name: String) {
    guard let document = Document(.score, score.octets) else { return nil }
    (self.score, self.document, self.name) = (score, document, name)
  }
}

/// The level of a part of a score at the local peer.
public enum ScorePartLevel: Hashable, Sendable {
  /// In percent, 0...100; 0: the part is silent, so that its player plays it.
  case percent(Int)
  /// All other parts are silent.
  case only
}
