import BasicContainers
import MIDI

/// The state of the sequencer as the stream has sent it, in the terms of ``ChapterQ``.
///
/// In the functions that record a command, `packet` is the sequence number of the packet with the command. The command
/// becomes part of the checkpoint history if `isRecording` is true.
struct SequencerHistory: BitwiseCopyable {
  private(set) var isRunning = false
  /// Whether the Clock at ``position`` was sent.
  private var isPlayed = false
  /// The position in Clocks from the start of the song, modulo 2^19.
  private var position: UInt32 = 0
  /// The newest packet with a command of Chapter Q, except a Clock while the sequencer was stopped.
  private(set) var lastSent = LastSent()

  @_noLocks @_noAllocation
  init() {}

  /// Records a Clock. A Clock while the sequencer is stopped has no effect.
  @_noLocks @_noAllocation
  mutating func clock(_ packet: UInt16, if isRecording: Bool) {
    guard isRunning else { return }
    if isPlayed { position = (position + 1) & 0x7FFFF }
    isPlayed = true
    lastSent.mark(packet, if: isRecording)
  }

  /// Records Start.
  @_noLocks @_noAllocation
  mutating func start(_ packet: UInt16, if isRecording: Bool) {
    (isRunning, isPlayed, position) = (true, false, 0)
    lastSent.mark(packet, if: isRecording)
  }

  /// Records Continue (`isRunning` is true) or Stop (`isRunning` is false).
  @_noLocks @_noAllocation
  mutating func run(_ isRunning: Bool, _ packet: UInt16, if isRecording: Bool) {
    self.isRunning = isRunning
    lastSent.mark(packet, if: isRecording)
  }

  /// Records a Song Position of `sixteenth` sixteenth notes, six Clocks each.
  @_noLocks @_noAllocation
  mutating func locate(_ sixteenth: UInt14, _ packet: UInt16, if isRecording: Bool) {
    (isPlayed, position) = (false, 6 * UInt32(sixteenth.value))
    lastSent.mark(packet, if: isRecording)
  }

  /// Removes the state from the history if all its commands were sent in `packet` or before. Returns whether it was
  /// removed.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool { lastSent.trim(through: packet) }

  /// Appends Chapter Q. `last` is the sequence number of the packet directly before the one that is being encoded.
  /// Returns false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    ChapterQ(s: lastSent.packet != last, isRunning: isRunning, isPlayed: isPlayed, position: position).append(
      to: &packet)
  }
}
