/// The newest packet that contains a command of one kind, and whether the command is part of the checkpoint history
/// (the commands since the checkpoint of the recovery journal).
struct LastSent: BitwiseCopyable {
  /// The sequence number of the packet. Valid only while ``isInHistory`` is true.
  private(set) var packet: UInt16 = 0
  /// Whether the command was sent since the checkpoint.
  private(set) var isInHistory = false

  @_noLocks @_noAllocation
  init() {}

  /// Records that a packet contains a command of the kind.
  ///
  /// - Parameters:
  ///   - packet: the sequence number of the packet.
  ///   - isRecording: whether the stream keeps a checkpoint history. Otherwise the call has no effect.
  @_noLocks @_noAllocation
  mutating func mark(_ packet: UInt16, if isRecording: Bool) {
    guard isRecording else { return }
    (self.packet, isInHistory) = (packet, true)
  }

  @_noLocks @_noAllocation
  mutating func clear() { isInHistory = false }

  /// Removes the command from the history if it was sent in `packet` or before. Returns whether it was removed.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool {
    guard isInHistory, !self.packet.isAfter(packet) else { return false }
    isInHistory = false
    return true
  }

  /// Whether `packet` is the newest packet that contains the command.
  @_noLocks @_noAllocation
  func wasSent(in packet: UInt16) -> Bool { isInHistory ? self.packet == packet : false }
}
