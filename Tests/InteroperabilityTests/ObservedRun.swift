import Measurement
import MusicalTime
import _TestSupport

/// A run of one minute that a `tutti peer` plays to a pymidi listener on loopback, with the events of the listener, the
/// trace of the peer and the captured packets.
struct ObservedRun: Sendable {
  /// The run that all tests examine. It begins when the first test uses it.
  static let shared = Task { try await ObservedRun() }

  static let name = "the peer"
  static let bpm = 137.3
  static let seconds: Int64 = 60

  /// The events of the listener, without the first event `ready`.
  let events: [PymidiListener.Event]
  let trace: Trace
  /// The captured packets, or the reason why capturing is not possible.
  let packets: Result<[CapturedPacket], Unavailable>

  /// - Throws: ``Unavailable`` if Python, pip or PyPI is missing.
  init() async throws {
    let folder = try TemporaryFolder()
    let listener = try await PymidiListener(in: folder)
    let capture: Result<PacketCapture, Unavailable>
    do {
      // `PacketCapture.end()` stops the capture. The limit, 300 s, is longer than the run.
      capture = .success(try await PacketCapture(port: listener.port, limit: 300, in: folder))
    } catch let error as Unavailable {
      capture = .failure(error)
    }
    let traceFile = folder.path("peer.trace")
    let peer = try Child(
      try Program.tutti(),
      [
        "peer", "--port", "0", "--discovery", "off", "--name", Self.name, "--start", "--bpm", "\(Self.bpm)",
        "--duration", "\(Self.seconds)",
        "--connect", "127.0.0.1:\(listener.port)", "--trace", traceFile,
      ], name: "peer", in: folder)
    let status = try await peer.status()
    guard status == 0 else { throw Failure(description: "the peer ended with \(status): \(peer.errors)") }
    switch capture {
    case .success(let capture): packets = .success(try await capture.end())
    case .failure(let error): packets = .failure(error)
    }
    events = Array(try await listener.end().dropFirst())
    trace = try Trace(contentsOf: traceFile)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}
