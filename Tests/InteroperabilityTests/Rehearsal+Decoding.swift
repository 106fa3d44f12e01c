import Foundation
import Processes
import Testing

extension Rehearsal {
  /// Ends the session, and has `tshark` decode it. Expects that it knows every packet for what it is, and finds none
  /// malformed but those of `malformed`. Cancels the test, with the reason, where there is no `tshark`.
  ///
  /// - Parameter malformed: places in the stream, from 0.
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
    try #require(stream.count == seen.count && session.count + stream.count == file.packets)
    #expect(stream.indices.filter { stream[$0].isMalformed } == malformed)
    return stream
  }

  private static func decoded(_ packets: PacketFile) async throws -> [DecodedPacket] {
    let tshark = try Program.find("tshark", package: "tshark")
    let folder = try TemporaryFolder()
    let path = folder.path("rehearsal.pcap")
    try Data(packets.octets).write(to: URL(fileURLWithPath: path))
    let decoder = try Child(tshark, ["-n", "-r", path, "-T", "pdml"], name: "tshark", in: folder)
    guard try await decoder.status(within: .seconds(120)) == 0 else {
      throw DecodedPacket.Fault(description: "tshark: \(decoder.errors)")
    }
    return try DecodedPacket.packets(in: Data(decoder.output.utf8))
  }
}

/// Fields as ``DecodedPacket`` has them, parted by commas.
func fields(_ text: String) -> [String] {
  text.split { $0 == "," || $0.isNewline }.map { $0.trimmingCharacters(in: .whitespaces) }
}

/// Octets as the value of a field has them.
func list(_ octets: some Collection<UInt8>) -> String { hex(octets).replacing(" ", with: ":") }

/// The octets in hexadecimal, parted by spaces.
func hex(_ octets: some Collection<UInt8>) -> String {
  octets.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined(separator: " ")
}
