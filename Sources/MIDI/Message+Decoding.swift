extension Message {
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
