extension Message {
  /// Whether the message is a channel message, such as Note On or Control Change.
  ///
  /// Real-time: safe.
  public var isOfChannel: Bool { @_noLocks @_noAllocation get { status < 0xF0 } }

  /// The channel of the message; nil if the message is not a channel message.
  ///
  /// Real-time: safe.
  public var channel: Channel? { @_noLocks @_noAllocation get { isOfChannel ? Channel(wire: status) : nil } }

  /// The key of a Note On or Note Off; nil for any other message.
  ///
  /// Real-time: safe.
  public var key: UInt7? {
    @_noLocks @_noAllocation get {
      switch self {
      case .noteOn(_, let key, _), .noteOff(_, let key, _): key
      default: nil
      }
    }
  }

  /// Returns the same message on `channel`. Returns the message unchanged if `channel` is nil, or if the message is not a channel message.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func on(_ channel: Channel?) -> Message {
    guard isOfChannel, let channel else { return self }
    let octets = bytes.octets
    let status = octets[0] & 0xF0 | channel.wire
    guard let moved = Message(status: status, UInt7(masking: octets[1]), UInt7(masking: octets[2])) else { return self }
    return moved
  }
}
