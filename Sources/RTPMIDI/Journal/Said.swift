/// In which packet a thing was said newest, if since the checkpoint.
struct Said: BitwiseCopyable {
  private(set) var packet: UInt16 = 0
  private(set) var isLive = false

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func mark(_ packet: UInt16, if isRecording: Bool) {
    guard isRecording else { return }
    (self.packet, isLive) = (packet, true)
  }

  @_noLocks @_noAllocation
  mutating func clear() { isLive = false }

  /// Forgets what `packet` or one before it said. Returns whether anything was.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool {
    guard isLive, !self.packet.isAfter(packet) else { return false }
    isLive = false
    return true
  }

  /// Whether it was said in packet `last`.
  @_noLocks @_noAllocation
  func isFresh(_ last: UInt16) -> Bool { isLive ? packet == last : false }
}

extension UInt16 {
  /// Whether this sequence number comes after `other`, the two being less than 2^15 packets apart.
  @_noLocks @_noAllocation
  func isAfter(_ other: UInt16) -> Bool { Int16(bitPattern: self &- other) > 0 }
}
