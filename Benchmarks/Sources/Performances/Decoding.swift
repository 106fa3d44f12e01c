import RTPMIDI

/// A tape being received, packet after packet and over and over.
public final class Decoding {
  private let tape: Tape
  private var receiver = PacketReceiver(ssrc: Tape.ssrc, systemExclusiveCapacity: 256)
  private var next = 0
  private let lossInterval: Int
  /// Packets to go to the next that is lost.
  private var untilLoss: Int

  /// - Parameter lossInterval: of so many packets one is lost, and not counted as decoded; of 0 none.
  public init(_ tape: Tape, lossInterval: Int = 0) {
    (self.tape, self.lossInterval, untilLoss) = (tape, lossInterval, lossInterval)
  }

  /// Decodes the next `count` packets.
  public func decode(_ count: Int) { for _ in 0..<count { decodeOne() } }

  /// Whether what was lost has been made good.
  public var isRepaired: Bool { receiver.statistics.repairs > 0 && receiver.statistics.recovered > 0 }

  /// Decodes the next packet, which has one message.
  private func decodeOne() {
    if lossInterval > 0 {
      untilLoss -= 1
      if untilLoss == 0 {
        untilLoss = lossInterval - 1
        advance()
      }
    }
    let messages = tape.play(next, to: &receiver)
    precondition(messages == 1, "packet \(next) gave \(messages) messages")
    advance()
  }

  private func advance() {
    next += 1
    if next == Tape.count { next = 0 }
  }
}
