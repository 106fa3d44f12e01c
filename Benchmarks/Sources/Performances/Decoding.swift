import RTPMIDI

/// A tape being received, packet after packet and over and over.
public final class Decoding {
  private let tape: Tape
  private var receiver = PacketReceiver(ssrc: Tape.ssrc, systemExclusiveCapacity: 256)
  private var next = 0

  public init(_ tape: Tape) { self.tape = tape }

  /// Decodes the next `count` packets.
  public func decode(_ count: Int) { for _ in 0..<count { decodeOne() } }

  /// Decodes the next packet, which has one message.
  private func decodeOne() {
    let messages = tape.play(next, to: &receiver)
    precondition(messages == 1, "packet \(next) gave \(messages) messages")
    next += 1
    if next == Tape.count { next = 0 }
  }
}
