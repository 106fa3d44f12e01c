import RTPMIDI

/// A port of a host of the fuzzer's own network. The data port is the one after the control port.
struct Place: Hashable, Sendable {
  var host: UInt32
  var port: UInt16

  var dataPort: Place { Place(host: host, port: port + 1) }
}
