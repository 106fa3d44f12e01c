import RTPMIDI

/// Decodes the packets of a recording one after another. After the last packet, the loop continues with the first.
public final class DecodingLoop {
  private let recording: RecordedPackets
  private var receiver = PacketReceiver(ssrc: RecordedPackets.ssrc, systemExclusiveCapacity: 256)
  /// The index of the next packet.
  private var next = 0
  /// The number of packets of which one is lost; 0 for no loss.
  private let lossInterval: Int
  /// The number of packets until the next lost packet.
  private var untilLoss: Int

  /// - Parameter lossInterval: the number of packets of which one is lost; 0 for no loss. A lost packet is not decoded.
  public init(_ recording: RecordedPackets, lossInterval: Int = 0) {
    (self.recording, self.lossInterval, untilLoss) = (recording, lossInterval, lossInterval)
  }

  /// Decodes `count` packets, without the lost packets.
  public func decode(_ count: Int) { for _ in 0..<count { decodeOne() } }

  /// Whether the recovery journal has restored lost messages.
  public var isRepaired: Bool { receiver.statistics.repairs > 0 && receiver.statistics.recovered > 0 }

  /// Decodes the next packet, which contains one message.
  private func decodeOne() {
    if lossInterval > 0 {
      untilLoss -= 1
      if untilLoss == 0 {
        // The lost packet is the last packet of its interval. The packet after it is decoded below, as the first packet of the next
        // interval.
        untilLoss = lossInterval - 1
        advance()
      }
    }
    let messages = recording.decode(next, with: &receiver)
    precondition(messages == 1, "packet \(next): \(messages) messages instead of 1")
    advance()
  }

  /// Moves to the next packet of the recording, or from the last packet to the first.
  private func advance() {
    next += 1
    if next == RecordedPackets.count { next = 0 }
  }
}
