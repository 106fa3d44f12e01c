import Engine
import Foundation

/// The line of `tutti peer --json` that says: others can connect now.
struct Ready: Encodable {
  let event = "ready"
  var name: String
  var identity: String
  var port: UInt16
}

/// The line that says: another peer has come or gone.
struct Meeting: Encodable {
  var event: String
  var name: String?
  var address: String
  /// Left out for what is no Tutti peer.
  var identity: String?
  /// In CLOCK_MONOTONIC.
  var at: Int64

  private enum CodingKeys: String, CodingKey {
    case event, name, address, identity
    case at = "at_ns"
  }

  init(_ event: PeerEvent) {
    self.event = event.kind == .joined ? "joined" : "left"
    (name, address) = (event.name, event.address.description)
    (identity, at) = (event.identity.map { "\($0)" }, event.at.nanoseconds)
  }
}

/// Prints `event` as a line, at once, for a program that reads along.
func print(event: some Encodable) {
  guard let line = try? JSONEncoder.sorted.encode(event) else { return }
  print(String(decoding: line, as: UTF8.self))
  fflush(nil)
}
