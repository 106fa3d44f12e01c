/// What a peer may do to another: a kind of traffic that the other lets in or not. Each is worth 25 of a connection's
/// weight of 100, after Weinberg's description of interconnected musical networks (Computer Music Journal 29:2, 2005).
public enum Gate: UInt8, CaseIterable, Hashable, Sendable {
  /// Being followed: starting, stopping, tempo.
  case rhythm
  /// Note On and Off.
  case notes
  /// Controllers, pitch bend, pressure, programs: what changes the sound of another's instrument.
  case modification
  /// Counting in the total, and the total itself.
  case activity
}
