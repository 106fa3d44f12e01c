import RTPMIDI

/// A port of a host of the fuzzer's own network. The data port is the one after the control port.
struct Place: PeerAddress {
  var host: UInt32
  var port: UInt16

  func isSameHost(as other: Place) -> Bool { host == other.host }

  var dataPort: Place { Place(host: host, port: port + 1) }
}
