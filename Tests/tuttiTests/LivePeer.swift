import Foundation
import Measurement
import MusicalTime
import Processes

/// A `tutti peer` that a test has started: what it is told by words, what it says by JSON lines.
final class LivePeer {
  struct Event: Decodable {
    struct Peer: Decodable {
      var name: String?
      var channel, weightIn, weightOut: Int?
    }
    var event: String?
    var name, role, midi: String?
    var port: UInt16?
    var total, channel: Int?
    var atNs: Int64?
    var peers: [Peer]?
  }

  let name: String
  let child: Child
  let port: UInt16

  /// Starts it and waits until others can connect to it.
  init(
    _ name: String, port: UInt16 = 0, connect others: [LivePeer] = [], _ arguments: [String] = [],
    in folder: TemporaryFolder
  ) async throws {
    let child = try Child.tutti(
      ["peer", "--name", name, "--port", "\(port)", "--discovery", "off", "--json"]
        + others.flatMap { ["--connect", "127.0.0.1:\($0.port)"] } + arguments, name: name, in: folder)
    var ready: UInt16?
    try await child.wait(for: "to be ready", within: .seconds(30)) {
      ready = Self.events(of: child).first { $0.event == "ready" }?.port
      return ready != nil
    }
    (self.name, self.child, self.port) = (name, child, ready ?? 0)
  }

  var events: [Event] { Self.events(of: child) }

  /// The totals that it has played by, one after the other.
  var totals: [Int] { events.compactMap(\.total) }

  func type(_ line: String) { child.type(line) }

  /// Waits until its events so far fulfil `condition`.
  func wait(for what: String, within limit: Duration = .seconds(15), until condition: ([Event]) -> Bool) async throws {
    try await child.wait(for: what, within: limit) { condition(events) }
  }

  func wait(forRole role: String) async throws {
    try await wait(for: "to be \(role)") { $0.last { $0.event == "role" }?.role == role }
  }

  func wait(forPeers count: Int) async throws {
    try await wait(for: "to be with \(count) others") { events in
      events.count { $0.event == "joined" } - events.count { $0.event == "left" } >= count
    }
  }

  func leave() async throws {
    child.signal(SIGTERM)
    _ = try await child.outcome()
  }

  private static func events(of child: Child) -> [Event] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return child.output.split(separator: "\n").compactMap { try? decoder.decode(Event.self, from: Data($0.utf8)) }
  }
}
