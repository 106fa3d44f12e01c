import Foundation
import Testing
import _TestSupport

extension RecordedSession {
  /// Ends the session and decodes its packets with `tshark`. Expects that `tshark` recognises the protocol of every packet, and
  /// that it finds exactly the packets in `malformed` malformed. Cancels the test with the reason if `tshark` is missing.
  ///
  /// - Parameter malformed: indices of packets of the stream, from 0.
  /// - Returns: the packets of the stream.
  mutating func decoded(malformed: [Int] = []) async throws -> [DecodedPacket] {
    end()
    let packets: [DecodedPacket]
    do {
      packets = try await Self.decoded(file)
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
    let session = packets.filter { !$0.isOfStream }
    #expect(session.allSatisfy { $0.protocols.last == "applemidi" })
    let stream = packets.filter(\.isOfStream)
    try #require(stream.count == streamPackets.count && session.count + stream.count == file.packets)
    #expect(stream.indices.filter { stream[$0].isMalformed } == malformed)
    return stream
  }

  /// Writes the packets to a capture file, and decodes them with `tshark`.
  private static func decoded(_ packets: PacketFile) async throws -> [DecodedPacket] {
    let tshark = try Program.find("tshark", package: "tshark")
    let folder = try TemporaryFolder()
    let path = folder.path("session.pcap")
    try Data(packets.octets).write(to: URL(fileURLWithPath: path))
    let decoder = try Child(tshark, ["-n", "-r", path, "-T", "pdml"], name: "tshark", in: folder)
    guard try await decoder.status() == 0 else {
      throw DecodedPacket.Fault(description: "tshark: \(decoder.errors)")
    }
    return try DecodedPacket.packets(in: Data(decoder.output.utf8))
  }
}

/// Splits `text` at commas and ends of lines into fields in the form of ``DecodedPacket``.
func fields(_ text: String) -> [String] {
  text.split { $0 == "," || $0.isNewline }.map { $0.trimmingCharacters(in: .whitespaces) }
}

/// The octets as Wireshark shows the value of a field: hexadecimal, separated by colons.
func list(_ octets: some Collection<UInt8>) -> String { hex(octets).replacing(" ", with: ":") }

/// The octets in hexadecimal, separated by spaces.
func hex(_ octets: some Collection<UInt8>) -> String {
  // With bit 8 set, every number has three digits. The first digit is dropped.
  octets.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined(separator: " ")
}
