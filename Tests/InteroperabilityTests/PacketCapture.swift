import Foundation
import _TestSupport

/// A capture of the packets to and from a pair of ports on the loopback interface. Wireshark's `dumpcap` records the
/// packets and `tshark` decodes them.
struct PacketCapture {
  private let process: Child
  private let file: String
  private let tshark: String
  private let folder: TemporaryFolder

  /// Starts `dumpcap` and waits until it captures.
  ///
  /// - Parameters:
  ///   - port: the first port of the pair.
  ///   - limit: the maximum duration in seconds.
  /// - Throws: ``Unavailable`` if `tshark` or the permission to capture is missing.
  init(port: Int, limit: Int, in folder: TemporaryFolder) async throws {
    tshark = try Program.find("tshark", package: "tshark")
    let dumpcap = try Program.find("dumpcap", package: "wireshark-common")
    file = folder.path("loopback.pcapng")
    self.folder = folder
    let process = try Child(
      dumpcap,
      ["-q", "-i", "lo", "-f", "udp portrange \(port)-\(port + 1)", "-a", "duration:\(limit)", "-w", file],
      name: "dumpcap", in: folder)
    // dumpcap prints the name of the file once the interface is open.
    try await process.wait(for: "to begin") {
      process.errors.contains("File: ") || !process.isRunning
    }
    guard process.isRunning else {
      let message = process.errors.split(separator: "\n").first { !$0.hasPrefix("Capturing on") }
      let reason = message ?? "no reason given"
      throw Unavailable("dumpcap: cannot capture on lo (\(reason)); run as root, or join the group wireshark")
    }
    self.process = process
  }

  /// Waits until the BY packet that ends the session is recorded, stops the capture and returns the decoded packets.
  func end() async throws -> [CapturedPacket] {
    // The kernel delivers captured packets in blocks, so the BY is in the file some time after it was sent.
    let bye = Data([0xFF, 0xFF] + Array("BY".utf8))
    try await process.wait(for: "to record a BY") {
      try Data(contentsOf: URL(fileURLWithPath: file)).range(of: bye) != nil
    }
    process.interrupt()
    _ = try await process.status()
    let fields = CapturedPacket.fields.flatMap { ["-e", $0] }
    // AppleMIDI has no fixed port, so `tshark` recognises it by its content. The port of the listener may be the registered port of
    // another protocol. With this option, `tshark` examines the content before it considers the port.
    let decoder = try Child(
      tshark,
      ["-n", "-o", "udp.try_heuristic_first:TRUE", "-r", file, "-T", "fields", "-E", "separator=;"] + fields,
      name: "tshark", in: folder)
    guard try await decoder.status() == 0 else {
      throw CapturedPacket.Fault(description: "tshark: \(decoder.errors)")
    }
    return try decoder.output.split(separator: "\n").map { try CapturedPacket($0) }
  }
}
