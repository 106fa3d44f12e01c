import Engine
import Ensemble
import Foundation
import MIDI
import MusicalTime

/// The line of `tutti peer --json` that says: others can connect now.
struct Ready: Encodable {
  let event = "ready"
  var name: String
  var identity: String
  var port: UInt16
  /// In CLOCK_MONOTONIC.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case event, name, identity, port
    case at = "at_ns"
  }
}

/// The line of `tutti peer --json` for what came about; fields that say nothing are left out.
struct EventLine: Encodable {
  var event: String
  /// In CLOCK_MONOTONIC.
  var at: Int64
  /// Whom it is about, or from whom it comes.
  var name: String?
  var address: String?
  /// Left out for what is no Tutti peer.
  var identity: String?
  var role: String?
  var channel: Int?
  var total: Int?
  /// A MIDI message's octets, hexadecimal.
  var midi: String?
  var peers: [Member]?

  /// One of those in session.
  struct Member: Encodable {
    var name: String?
    var identity: String?
    var channel: Int?
    var inward: Int?
    var outward: Int?

    private enum CodingKeys: String, CodingKey {
      case name, identity, channel
      case inward = "weight_in"
      case outward = "weight_out"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case event, name, address, identity, role, channel, total, midi, peers
    case at = "at_ns"
  }

  init(_ event: PeerEvent) {
    self.event = ""
    at = event.at.nanoseconds
    switch event.kind {
    case .joined(let who): say("joined", who)
    case .left(let who): say("left", who)
    case .role(let role): (self.event, self.role) = ("role", role.description)
    case .tookOver(let who): say("took_over", who)
    case .offered(let who): say("offered", who)
    case .channel(let number): (self.event, channel) = ("channel", number)
    case .total(let total): (self.event, self.total) = ("total", Int(total))
    case .sounded(let message, let who):
      say("sounded", who)
      let bytes = message.bytes
      midi = (0..<bytes.count).map { String(format: "%02X", bytes.octets[$0]) }.joined(separator: " ")
    case .company(let company):
      self.event = "company"
      peers = company.map {
        Member(
          name: $0.who.name, identity: $0.who.identity.map { "\($0)" }, channel: $0.channel,
          inward: $0.weights?.inward, outward: $0.weights?.outward)
      }
    }
  }

  private mutating func say(_ event: String, _ who: PeerEvent.Who?) {
    self.event = event
    (name, address, identity) = (who?.name, who?.address?.description, who?.identity.map { "\($0)" })
  }
}

/// Prints `event` as a line, at once, for a program that reads along.
func print(event: some Encodable) {
  guard let line = try? JSONEncoder.sorted.encode(event) else { return }
  print(String(decoding: line, as: UTF8.self))
  fflush(nil)
}
