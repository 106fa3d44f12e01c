import BasicContainers
import MIDI

/// The state of the sequencer as the stream has sent it, in the terms of ``ChapterQ``.
struct SequencerHistory: BitwiseCopyable {
  private(set) var isRunning = false
  private var isPlayed = false
  private var position: UInt32 = 0
  private(set) var lastSent = LastSent()

  @_noLocks @_noAllocation
  init() {}

  /// Records a Clock. A Clock while the sequencer is stopped does not count.
  @_noLocks @_noAllocation
  mutating func clock(_ packet: UInt16, if isRecording: Bool) {
    guard isRunning else { return }
    if isPlayed { position = (position + 1) & 0x7FFFF }
    isPlayed = true
    lastSent.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func start(_ packet: UInt16, if isRecording: Bool) {
    (isRunning, isPlayed, position) = (true, false, 0)
    lastSent.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func run(_ isRunning: Bool, _ packet: UInt16, if isRecording: Bool) {
    self.isRunning = isRunning
    lastSent.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func locate(_ sixteenth: UInt14, _ packet: UInt16, if isRecording: Bool) {
    (isPlayed, position) = (false, 6 * UInt32(sixteenth.value))
    lastSent.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool { lastSent.trim(through: packet) }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    ChapterQ(s: lastSent.packet != last, isRunning: isRunning, isPlayed: isPlayed, position: position).append(
      to: &packet)
  }
}
