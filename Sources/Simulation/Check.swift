/// What must hold while a simulated ensemble plays.
public enum Check: String, CaseIterable, Hashable, Sendable, Codable {
  /// Of two masters that have been in session with each other for a second one follows the other, unless a rhythm gate
  /// between them is closed.
  case oneMaster
  /// Each peer hears the steps of its rhythm in order, none lost or doubled, also where the master changes; while it stayed
  /// connected it hears no rhythm anew and none stands still.
  case steps
  /// Settled peers hear the same step at the same time.
  case phase
  /// They choose their layers by the same total.
  case layers
  /// No rhythm ends because its master has gone.
  case failover
  /// The master's total is that of everybody's levels within half a second.
  case activity
  /// No note sounds two seconds longer than its player holds it, or once its session is over.
  case notes
  /// What a gate is closed to does not pass.
  case gates
  /// Those in session with each other for two seconds have different channels, and none goes without while one is free.
  case channels
  /// Those who can reach each other are in session within fifteen seconds.
  case meeting
  /// No peer wakes again and again for nothing.
  case rest
}

/// A check that did not hold.
public struct Violation: Hashable, Sendable, Codable, CustomStringConvertible {
  public var check: Check
  /// By name.
  public var peer: String
  /// Seconds of true time since the beginning.
  public var seconds: Double
  public var expected: String
  public var seen: String

  public var description: String {
    "\(check.rawValue): \(peer) at \(seconds) s: expected \(expected), saw \(seen)"
  }
}
