/// The two UDP ports of an endpoint: N for control, N + 1 for data.
public enum Port: Hashable, Sendable, BitwiseCopyable {
  /// Invitations, their answers, BY and RS.
  case control
  /// Invitations and their answers again; then RTP, CK and probes.
  case data
}
