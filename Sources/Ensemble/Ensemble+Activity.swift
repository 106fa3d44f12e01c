public import MIDI
public import MusicalTime

// How lively everybody is.
extension Ensemble {
  /// The player's activity by keys or by a controller is this from now on.
  public mutating func setActivity(_ level: UInt8, at now: Instant) {}

  /// The player has struck a note.
  public mutating func played(at now: Instant) {}

  /// A message of a channel from the peer with this identity.
  ///
  /// - Parameters:
  ///   - instant: when it counts, by the sender's clock, in whole units of 100 us.
  ///   - isRecovered: whether a recovery journal told of it, which does not tell when it counts.
  /// - Returns: whether it is about activity, and so for nobody else.
  public mutating func received(
    _ message: Message, at instant: Instant, isRecovered: Bool, from sender: Identity, now: Instant
  ) -> Bool { false }
}
