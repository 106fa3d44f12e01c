import Foundation
import Measurement
import MusicalTime
import _TestSupport

/// A `tutti peer` process that a test controls with typed commands and observes by JSON events.
final class PeerProcess {
  /// A JSON event. The members that this kind of event does not have are nil.
  struct Event: Decodable {
    struct Peer: Decodable {
      var name: String?
      var channel, weightIn, weightOut: Int?
    }
    var event: String?
    /// `midi`: the octets of a message in hexadecimal digits.
    var name, role, midi: String?
    /// The addresses of the web page: to play and control the rhythm (`lead`), and to play only (`play`).
    var lead, play: String?
    var port: UInt16?
    var totalActivity, channel: Int?
    /// The number of players of the web page.
    var players: Int?
    /// The instant of the event in nanoseconds of CLOCK_MONOTONIC.
    var atNs: Int64?
    var peers: [Peer]?
  }

  let name: String
  let child: Child
  let port: UInt16

  /// Starts the process and waits until other peers can connect to it.
  ///
  /// - Parameters:
  ///   - port: the control port; 0 for any free port.
  ///   - others: the peers to which this peer connects.
  init(
    _ name: String, port: UInt16 = 0, connect others: [PeerProcess] = [], _ arguments: [String] = [],
    environment: [String: String] = [:], in folder: TemporaryFolder
  ) async throws {
    let child = try Child.tutti(
      ["peer", "--name", name, "--port", "\(port)", "--discovery", "off", "--json"]
        + others.flatMap { ["--connect", "127.0.0.1:\($0.port)"] } + arguments, name: name,
      environment: environment, in: folder)
    var ready: UInt16?
    try await child.wait(for: "to be ready") {
      ready = Self.events(of: child).first { $0.event == "ready" }?.port
      return ready != nil
    }
    (self.name, self.child, self.port) = (name, child, ready ?? 0)
  }

  var events: [Event] { Self.events(of: child) }

  /// All values of the total activity so far, in order.
  var totalActivities: [Int] { events.compactMap(\.totalActivity) }

  /// Types a command.
  func type(_ line: String) { child.type(line) }

  /// Waits until the events so far satisfy `condition`.
  func wait(for what: String, until condition: ([Event]) -> Bool) async throws {
    try await child.wait(for: what) { condition(events) }
  }

  /// Waits until the peer has the role "master", "follower" or "idle".
  func wait(forRole role: String) async throws {
    try await wait(for: "to be \(role)") { $0.last { $0.event == "role" }?.role == role }
  }

  /// Waits until the peer is in session with at least `count` peers.
  func wait(forPeers count: Int) async throws {
    try await wait(for: "to have \(count) peers in session") { events in
      events.count { $0.event == "joined" } - events.count { $0.event == "left" } >= count
    }
  }

  /// Ends the peer by SIGTERM, and waits until the process has ended.
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
