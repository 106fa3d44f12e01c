import Measurement
import MusicalTime
import Processes

/// A minute of rhythm that a `tutti peer` plays to a pymidi listener on loopback, and all that was seen of it.
struct Performance: Sendable {
  static let name = "the peer"
  static let bpm = 137.3
  static let seconds: Int64 = 60

  /// What the listener told, from `connected` on.
  let events: [Listener.Event]
  let trace: Trace
  /// What went over the wire, or why nobody could look.
  let packets: Result<[CapturedPacket], Unavailable>

  /// - Throws: ``Unavailable`` without Python, pip or PyPI.
  init() async throws {
    let folder = try TemporaryFolder()
    let listener = try await Listener(in: folder)
    let capture: Result<Capture, Unavailable>
    do {
      capture = .success(try await Capture(port: listener.port, limit: 300, in: folder))
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
    let status = try await peer.status(within: .seconds(Self.seconds + 60))
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
