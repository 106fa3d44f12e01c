/// What a page with a join token may do. The token is the secret in the address of the page (``JoinTokens``).
public enum Access: String, Sendable, CaseIterable {
  /// Play an instrument and watch the ensemble.
  case play
  /// Also control the rhythm and the settings of the peer.
  case lead
}
