/// A kind of messages that a peer accepts from another peer or not. Each open gate counts 25 of the maximum weight of 100 of a
/// connection, after Weinberg's description of interconnected musical networks (Computer Music Journal 29:2, 2005).
public enum Gate: UInt8, CaseIterable, Hashable, Sendable {
  /// Start, stop and tempo.
  case rhythm
  /// Note On and Note Off.
  case notes
  /// Controllers, pitch bend, pressure and programs, which change the sound of the peer's instrument.
  case modification
  /// The activity of the peer, which counts in the total, and the total itself.
  case activity
}
