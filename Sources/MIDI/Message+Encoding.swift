import BasicContainers

extension Message {
  /// The status byte of the message, 80...FF hexadecimal.
  ///
  /// Real-time: safe.
  public var status: UInt8 {
    @_noLocks @_noAllocation get {
      switch self {
      case .noteOff(let channel, _, _): 0x80 | channel.wire
      case .noteOn(let channel, _, _): 0x90 | channel.wire
      case .polyphonicPressure(let channel, _, _): 0xA0 | channel.wire
      case .controlChange(let channel, _, _): 0xB0 | channel.wire
      case .programChange(let channel, _): 0xC0 | channel.wire
      case .channelPressure(let channel, _): 0xD0 | channel.wire
      case .pitchBend(let channel, _): 0xE0 | channel.wire
      case .quarterFrame: 0xF1
      case .songPosition: 0xF2
      case .songSelect: 0xF3
      case .tuneRequest: 0xF6
      case .clock: 0xF8
      case .start: 0xFA
      case .continue: 0xFB
      case .stop: 0xFC
      case .activeSensing: 0xFE
      case .reset: 0xFF
      }
    }
  }

  /// The encoded message, status byte first.
  ///
  /// Real-time: safe.
  public var bytes: MessageBytes {
    @_noLocks @_noAllocation get {
      switch self {
      case .noteOff(_, let first, let second), .noteOn(_, let first, let second),
        .polyphonicPressure(_, let first, let second), .controlChange(_, let first, let second):
        MessageBytes(octets: [status, first.value, second.value], count: 3)
      case .pitchBend(_, let word), .songPosition(let word):
        MessageBytes(octets: [status, word.low.value, word.high.value], count: 3)
      case .programChange(_, let first), .channelPressure(_, let first), .quarterFrame(let first),
        .songSelect(let first):
        MessageBytes(octets: [status, first.value, 0], count: 2)
      case .tuneRequest, .clock, .start, .continue, .stop, .activeSensing, .reset:
        MessageBytes(octets: [status, 0, 0], count: 1)
      }
    }
  }

  /// Appends the encoded message to `stream`, completely or not at all.
  ///
  /// - Returns: false if the free capacity of `stream` is too small. `stream` is then unchanged.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func append(to stream: inout RigidArray<UInt8>) -> Bool {
    let bytes = self.bytes
    guard stream.freeCapacity >= bytes.count else { return false }
    for index in 0..<bytes.count { stream.append(bytes.octets[index]) }
    return true
  }
}
