/// A connection between a local port and a port of another client. The local port determines the direction: see
/// ``Sequencer/Port/isOutput``.
public struct SequencerLink: Hashable, Sendable, BitwiseCopyable {
  /// The local port.
  public let port: Sequencer.Port
  /// The port of the other client.
  public let other: SequencerAddress

  /// Creates a link. Does not connect the ports.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ port: Sequencer.Port, _ other: SequencerAddress) {
    self.port = port
    self.other = other
  }
}
