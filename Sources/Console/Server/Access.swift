/// What the holder of a join token may do.
public enum Access: String, Sendable, CaseIterable {
  /// Play an instrument and watch the ensemble.
  case play
  /// Also control the rhythm and the settings of the peer.
  case lead
}
