import MIDI
import Simulation

/// A generator of random messages of all kinds. Channels, keys and controllers come from small sets, so that messages often
/// refer to the same note or controller.
public struct Improviser {
  /// Modulation (1), Data Entry (6 and 38), volume (7), expression (11), pedals (64 and 66), Data Increment and Decrement (96
  /// and 97), parameter numbers (98 to 101) and mode messages (120 to 123 and 127).
  private static let controllers: [UInt7] = [
    1, 6, 7, 11, 38, 64, 66, 96, 97, 98, 99, 100, 101, 120, 121, 122, 123, 127,
  ]
  private var random: SplitMix

  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// Returns the next message.
  public mutating func next() -> Message {
    while true {
      let status = UInt8(random.integer(in: 0x80...0xFF))
      let isController = status & 0xF0 == 0xB0
      let first = isController ? Self.controllers.randomElement(using: &random)! : data(0...31)
      // Channels 1 and 2 only.
      let limited = status < 0xF0 ? status & 0xF1 : status
      if let message = Message(status: limited, first, data(0...127)) { return message }
    }
  }

  /// Returns 1...64 data octets of a System Exclusive message.
  public mutating func systemExclusive() -> [UInt7] { (0..<random.integer(in: 1...64)).map { _ in data(0...127) } }

  private mutating func data(_ range: ClosedRange<Int64>) -> UInt7 { UInt7(masking: UInt8(random.integer(in: range))) }
}
