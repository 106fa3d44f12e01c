import CALSA

/// Where an ALSA sequencer port is found: its client's number and its own, `128:0`.
public struct SequencerAddress: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let client: UInt8
  public let port: UInt8

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(client: UInt8, port: UInt8) {
    self.client = client
    self.port = port
  }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ address: snd_seq_addr_t) { self.init(client: address.client, port: address.port) }

  /// Takes `CLIENT:PORT`, two numbers, apart; `CLIENT` alone means its port 0, as with `aconnect`. Nil when the text is
  /// neither.
  ///
  /// Real-time: not safe.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let client = parts.first.flatMap({ UInt8($0) }), let port = parts.count == 2 ? UInt8(parts[1]) : 0 else {
      return nil
    }
    self.init(client: client, port: port)
  }

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func == (a: SequencerAddress, b: SequencerAddress) -> Bool { a.client == b.client && a.port == b.port }

  var raw: snd_seq_addr_t {
    @_noLocks @_noAllocation get { snd_seq_addr_t(client: client, port: port) }
  }

  public var description: String { "\(client):\(port)" }
}
