/// A permission that a peer grants another peer: if the gate is open, the peer accepts messages of this kind from the
/// other peer.
///
/// In Weinberg's description of interconnected musical networks (Computer Music Journal 29:2, 2005), each connection
/// has a weight of 0...100. Each kind of message that flows through an open gate contributes 25.
public enum Gate: UInt8, CaseIterable, Hashable, Sendable {
  /// Start, stop and tempo.
  case rhythm
  /// Note On and Note Off.
  case notes
  /// Controllers, pitch bend, pressure and programs. At the peer that opens the gate, they change the sound of the other peer's
  /// notes and of the local player's instrument.
  case modification
  /// The activity of the other peer, which contributes to the total activity; also the total activity that a master
  /// sends.
  case activity
}
