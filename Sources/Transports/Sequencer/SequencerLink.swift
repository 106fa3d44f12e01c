/// A connection between one of our ports and another's. Which way it goes lies in the port: see
/// ``Sequencer/Port/gives``.
public struct SequencerLink: Hashable, Sendable, BitwiseCopyable {
  public let port: Sequencer.Port
  public let other: SequencerAddress

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ port: Sequencer.Port, _ other: SequencerAddress) {
    self.port = port
    self.other = other
  }
}
