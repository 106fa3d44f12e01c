/// A summary of a packet in a capture, as `tshark` decodes it.
struct CapturedPacket: Sendable {
  /// The fields that `tshark` prints for each packet, by their names in Wireshark.
  static let fields = [
    "frame.number", "udp.dstport", "frame.protocols", "applemidi.command", "rtp.seq", "rtpmidi.channel_status",
    "rtpmidi.common_status", "_ws.malformed",
  ]

  /// The number of the packet in the file, from 1.
  let number: Int
  /// The destination port.
  let port: Int
  /// The protocols from the outermost to the innermost.
  let protocols: [Substring]
  /// The two letters of the command of an AppleMIDI packet, also of a command that Wireshark does not know, such as `TU` (a clock
  /// probe). Nil for RTP.
  let command: String?
  /// The RTP sequence number; nil if the packet is not RTP.
  let sequence: UInt16?
  /// The values of the fields `channel_status`, and then those of the fields `common_status`. The status of a system command is its status
  /// octet. The status of a channel command is only the upper half of its status octet, 8...14.
  let status: [UInt8]
  let isMalformed: Bool

  struct Fault: Error, CustomStringConvertible { let description: String }

  /// Parses a line that contains the values of ``fields``, separated by semicolons.
  init(_ line: Substring) throws {
    let values = line.split(separator: ";", omittingEmptySubsequences: false)
    guard values.count == Self.fields.count, let number = Int(values[0]), let port = Int(values[1]) else {
      throw Fault(description: "tshark: unexpected line: \(line)")
    }
    (self.number, self.port) = (number, port)
    protocols = values[2].split(separator: ":")
    command = Self.numbers(values[3]).first.map { String(decoding: [UInt8($0 >> 8), UInt8($0 & 0xFF)], as: UTF8.self) }
    sequence = UInt16(values[4])
    status = (Self.numbers(values[5]) + Self.numbers(values[6])).map { UInt8(truncatingIfNeeded: $0) }
    isMalformed = !values[7].isEmpty
  }

  /// Parses hexadecimal numbers with the prefix 0x, separated by commas.
  private static func numbers(_ text: Substring) -> [UInt16] {
    text.split(separator: ",").compactMap { UInt16($0.dropFirst(2), radix: 16) }
  }
}
