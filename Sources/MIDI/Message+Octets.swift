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

  /// Returns the number of data bytes that follow `status`: 0, 1 or 2. Returns nil if `status` does not begin a message
  /// of fixed size: for a data byte, for the delimiters of System Exclusive (F0, F7), and for the undefined F4, F5, F9
  /// and FD.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func dataCount(status: UInt8) -> Int? {
    switch status {
    case 0x80...0xBF, 0xE0...0xEF, 0xF2: 2
    case 0xC0...0xDF, 0xF1, 0xF3: 1
    case 0xF6, 0xF8, 0xFA, 0xFB, 0xFC, 0xFE, 0xFF: 0
    default: nil
    }
  }

  /// Creates the message with the given status byte and data bytes. If the message has fewer than two data bytes, the surplus
  /// arguments are ignored. Returns nil if ``dataCount(status:)`` is nil.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init?(status: UInt8, _ first: UInt7 = 0, _ second: UInt7 = 0) {
    let channel = Channel(wire: status)
    switch status {
    case 0x80...0x8F: self = .noteOff(channel, key: first, velocity: second)
    case 0x90...0x9F: self = .noteOn(channel, key: first, velocity: second)
    case 0xA0...0xAF: self = .polyphonicPressure(channel, key: first, pressure: second)
    case 0xB0...0xBF: self = .controlChange(channel, controller: first, value: second)
    case 0xC0...0xCF: self = .programChange(channel, program: first)
    case 0xD0...0xDF: self = .channelPressure(channel, pressure: first)
    case 0xE0...0xEF: self = .pitchBend(channel, UInt14(low: first, high: second))
    case 0xF1: self = .quarterFrame(first)
    case 0xF2: self = .songPosition(UInt14(low: first, high: second))
    case 0xF3: self = .songSelect(first)
    case 0xF6: self = .tuneRequest
    case 0xF8: self = .clock
    case 0xFA: self = .start
    case 0xFB: self = .continue
    case 0xFC: self = .stop
    case 0xFE: self = .activeSensing
    case 0xFF: self = .reset
    default: return nil
    }
  }
}

/// The encoded form of a ``Message``: one, two or three bytes.
public struct MessageBytes: Sendable, BitwiseCopyable {
  /// The bytes. The bytes at index ``count`` and above are 0 and are not sent.
  public let octets: InlineArray<3, UInt8>
  /// The number of bytes, 1...3.
  public let count: Int

  /// Real-time: safe.
}
