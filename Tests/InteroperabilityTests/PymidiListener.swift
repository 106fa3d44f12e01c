import Foundation
import MusicalTime
import _TestSupport

/// The script `listener.py` in a separate process: an RTP-MIDI listener that uses pymidi, a third-party implementation.
struct PymidiListener {
  /// An event of the listener. The listener prints each event as a JSON line.
  enum Event: Sendable {
    /// The listener has opened its ports. `port` is the control port.
    case ready(port: Int)
    /// A session with the peer `name` has begun.
    case connected(name: String)
    /// An RTP packet has arrived at `at`. `commands` are its commands as pymidi decodes them; nil if pymidi could not decode them.
    case packet(at: Instant, commands: [[UInt8]]?)
    /// A line that pymidi has logged.
    case log(String)
    /// The session has ended.
    case disconnected
  }

  /// The control port; the data port is `port + 1`.
  let port: Int
  private let process: Child

  /// Starts the listener and waits until its ports are open.
  init(in folder: TemporaryFolder) async throws {
    let python = try Program.find("python3", package: "python3")
    let pymidi = try await PythonPackages.pymidi.folder(python: python, in: folder)
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("listener.py").path
    let process = try Child("/usr/bin/env", ["PYTHONPATH=\(pymidi)", python, script], name: "listener", in: folder)
    var port: Int?
    try await process.wait(for: "to listen") {
      if case .ready(let ready) = try Self.events(in: process.output).first { port = ready }
      return port != nil || !process.isRunning
    }
    guard let port else { throw Failure(description: "the listener ended: \(process.errors)") }
    (self.port, self.process) = (port, process)
  }

  /// Stops the listener and returns all its events.
  func end() async throws -> [Event] {
    process.closeInput()
    let status = try await process.status()
    guard status == 0 else { throw Failure(description: "the listener ended with \(status): \(process.errors)") }
    return try Self.events(in: process.output)
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Decodes the complete lines of `text`.
  private static func events(in text: String) throws -> [Event] {
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return try text[..<end].split(separator: "\n").map { line in
      try JSONDecoder().decode(Event.self, from: Data(line.utf8))
    }
  }
}

extension PymidiListener.Event: Decodable {
  private enum Key: CodingKey { case event, at, port, name, commands, text }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    switch try members.decode(String.self, forKey: .event) {
    case "ready": self = .ready(port: try members.decode(Int.self, forKey: .port))
    case "connected": self = .connected(name: try members.decode(String.self, forKey: .name))
    case "packet":
      self = .packet(
        at: Instant(nanoseconds: try members.decode(Int64.self, forKey: .at)),
        commands: try members.decodeIfPresent([[UInt8]].self, forKey: .commands))
    case "log": self = .log(try members.decode(String.self, forKey: .text))
    case "disconnected": self = .disconnected
    case let event:
      throw DecodingError.dataCorruptedError(forKey: .event, in: members, debugDescription: "unknown event: \(event)")
    }
  }
}
