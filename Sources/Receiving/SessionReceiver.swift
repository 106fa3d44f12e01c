import RTPMIDI

/// The state of one session in a ``Receiver``.
struct SessionReceiver: ~Copyable {
  /// The session; nil if the slot is not in use.
  private(set) var session: SessionID?
  private(set) var source = StreamSource(ssrc: 0, address: SocketAddress(host: 0, port: 0), localSSRC: 0)
  /// The receiver of the RTP stream.
  var stream = PacketReceiver(ssrc: 0, systemExclusiveCapacity: Endpoint.systemExclusiveCapacity)

  /// Real-time: not safe.
  init() {}

  /// Prepares for the stream of a new session.
  @_noLocks @_noAllocation
  mutating func open(_ session: SessionID, _ source: StreamSource) {
    (self.session, self.source) = (session, source)
    stream.restart(ssrc: source.ssrc)
  }

  /// Whether the slot belongs to `id`.
  @_noLocks @_noAllocation
  func belongs(to id: SessionID) -> Bool {
    guard let session else { return false }
    return session.number == id.number
  }

  @_noLocks @_noAllocation
  mutating func close() { session = nil }
}
