/// One of the two UDP ports of an endpoint. The AppleMIDI session protocol calls them the control port (N) and the data
/// port (N + 1). The packets of this protocol are IN (invitation), OK (acceptance), NO (rejection), BY (end of the session),
/// CK (clock comparison) and RS (receiver feedback).
public enum Port: Hashable, Sendable, BitwiseCopyable {
  /// The control port: the first IN and its answer, BY and RS.
  case control
  /// The data port: the second IN and its answer, then RTP packets, CK, and BY.
  case data
}
