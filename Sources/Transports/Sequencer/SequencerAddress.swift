import CALSA

/// The address of an ALSA sequencer port: client number and port number, for example `128:0`.
public struct SequencerAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The number of the client.
  public let client: UInt8
  /// The number of the port.
  public let port: UInt8

  /// Creates an address.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(client: UInt8, port: UInt8) {
    self.client = client
    self.port = port
  }

  /// Creates an address from the ALSA type.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ address: snd_seq_addr_t) { self.init(client: address.client, port: address.port) }

  /// Parses `CLIENT:PORT`, two numbers. As with `aconnect`, `CLIENT` alone means its port 0. Returns nil for other
  /// text.
  ///
  /// Real-time: not safe.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let client = parts.first.flatMap({ UInt8($0) }), let port = parts.count == 2 ? UInt8(parts[1]) : 0 else {
      return nil
    }
    self.init(client: client, port: port)
  }

  /// Compares the addresses. Real-time code calls this function, and a synthesized function would lack the real-time annotations.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: SequencerAddress, b: SequencerAddress) -> Bool { a.client == b.client && a.port == b.port }

  /// The address in the ALSA type.
  var raw: snd_seq_addr_t {
    @_noLocks @_noAllocation get { snd_seq_addr_t(client: client, port: port) }
  }

  /// The address in the form `128:0`.
  ///
  /// Real-time: not safe.
  public var description: String { "\(client):\(port)" }
}

/// A connection between a local port and a port of another client. The local port determines the direction: see
/// ``Sequencer/Port/isOutput``.
public struct SequencerLink: Hashable, Sendable, BitwiseCopyable {
  /// The local port.
  public let port: Sequencer.Port
  /// The port of the other client.
  public let other: SequencerAddress

  /// Creates a link. Does not connect the ports.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ port: Sequencer.Port, _ other: SequencerAddress) {
    self.port = port
    self.other = other
  }
}
