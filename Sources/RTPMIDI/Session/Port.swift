/// One of the two UDP ports of an endpoint: N for control, N + 1 for data.
public enum Port: Hashable, Sendable, BitwiseCopyable {
  /// The port of invitations, their answers, BY and RS.
  case control
  /// The port of the second invitation and its answer, then of RTP and CK.
  case data
}
