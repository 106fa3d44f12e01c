import Engine
import Ensemble
import Foundation
import MIDI
import MusicalTime

/// The first event of `tutti peer --json`: the peer runs, and other peers can connect to it. The event is repeated if the peer gets a
/// new identity.
struct Ready: Encodable {
  let event = "ready"
  var name: String
  var identity: String
  /// The control port.
  var port: UInt16
  /// The instant of the event, in nanoseconds of CLOCK_MONOTONIC.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case event, name, identity, port
    case at = "at_ns"
  }
}

/// The event of `tutti peer --json` with the addresses of the web page.
struct PageReady: Encodable {
  let event = "page"
  /// The address for players who control the rhythm.
  var lead: String
  /// The address for all other players.
  var play: String
  /// The fingerprint of the group's certificate authority; omitted without one.
  var fingerprint: String?
  /// The instant of the event, in nanoseconds of CLOCK_MONOTONIC.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case event, lead, play, fingerprint
    case at = "at_ns"
  }
}

/// The event of `tutti peer --json` with the number of players who have joined by the web page. It is printed after each change.
struct PagePlayers: Encodable {
  let event = "page_players"
  var players: Int
  /// The instant of the event, in nanoseconds of CLOCK_MONOTONIC.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case event, players
    case at = "at_ns"
  }
}

/// One event of `tutti peer --json`. Fields without a value are omitted.
struct EventLine: Encodable {
  var event: String
  /// The instant of the event, in nanoseconds of CLOCK_MONOTONIC.
  var at: Int64
  /// The name of the remote peer that the event is about.
  var name: String?
  /// The address of this remote peer.
  var address: String?
  /// The identity of this remote peer; omitted for a standard device.
  var identity: String?
  /// The new role of the local peer.
  var role: String?
  /// The new MIDI channel of the local peer, 1...16; omitted if no channel is left.
  var channel: Int?
  /// The total activity, 0...127.
  var totalActivity: Int?
  /// The octets of a MIDI message, hexadecimal.
  var midi: String?
  /// The roster: the remote peers in session.
  var peers: [Member]?

  /// One entry of the roster: a remote peer in session.
  struct Member: Encodable {
    var name: String?
    var identity: String?
    var channel: Int?
    /// The weight from the remote peer to the local peer, 0...100.
    var inward: Int?
    /// The weight from the local peer to the remote peer, 0...100.
    var outward: Int?

    private enum CodingKeys: String, CodingKey {
      case name, identity, channel
      case inward = "weight_in"
      case outward = "weight_out"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case event, name, address, identity, role, channel, midi, peers
    case at = "at_ns"
    case totalActivity = "total_activity"
  }

  /// Creates the line of `event`. Returns nil for an event that is not printed.
  init?(_ event: PeerEvent) {
    self.event = ""
    at = event.at.nanoseconds
    switch event.kind {
    case .joined: set("joined", about: event.peer)
    case .left: set("left", about: event.peer)
    case .role(let role): (self.event, self.role) = ("role", role.description)
    case .tookOver: set("took_over", about: event.peer)
    case .offered: set("offered", about: event.peer)
    case .muted(let isMuted): self.event = isMuted ? "muted" : "unmuted"
    case .channel(let channel): (self.event, self.channel) = ("channel", channel?.number)
    case .total(let total): (self.event, totalActivity) = ("total_activity", Int(total))
    case .sounded(let message, _):
      set("message", about: event.peer)
      let bytes = message.bytes
      midi = (0..<bytes.count).map { Self.hexadecimal(bytes.octets[$0]) }.joined(separator: " ")
    case .roster(let roster):
      self.event = "roster"
      peers = roster.map {
        Member(
          name: $0.peer.name, identity: $0.peer.identity.map { "\($0)" }, channel: $0.channel,
          inward: $0.weights?.inward, outward: $0.weights?.outward)
      }
    default: return nil
    }
  }

  /// The two hexadecimal digits of an octet. `String(format:)` would take a quarter of the control thread's time in a flood of
  /// notes.
  private static func hexadecimal(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
  }

  /// Sets the name of the event and the fields of the remote peer.
  private mutating func set(_ event: String, about peer: PeerReference?) {
    self.event = event
    (name, address, identity) = (peer?.name, peer?.address?.description, peer?.identity.map { "\($0)" })
  }
}

extension OutputWriter {
  /// The writer of the events of `tutti peer --json`. If the writer has discarded lines, an event states their number.
  static func events() -> OutputWriter {
    OutputWriter(STDOUT_FILENO) { #"{"event":"discarded","lines":\#($0)}"# + "\n" }
  }

  /// Writes `value` as one line of JSON.
  func write(json value: some Encodable) {
    guard let line = try? JSONEncoder.sorted.encode(value) else { return }
    write(String(decoding: line, as: UTF8.self) + "\n")
  }
}
