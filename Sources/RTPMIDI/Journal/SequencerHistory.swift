import BasicContainers
import MIDI

/// What a stream has said of the sequencer: where the song is, by ``ChapterQ``'s count.
struct SequencerHistory: BitwiseCopyable {
  private(set) var isRunning = false
  private var isPlayed = false
  private var position: UInt32 = 0
  private(set) var said = Said()

  @_noLocks @_noAllocation
  init() {}

  /// A Clock while the sequencer stands counts nothing.
  @_noLocks @_noAllocation
  mutating func clock(_ packet: UInt16, if isRecording: Bool) {
    guard isRunning else { return }
    if isPlayed { position = (position + 1) & 0x7FFFF }
    isPlayed = true
    said.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func start(_ packet: UInt16, if isRecording: Bool) {
    (isRunning, isPlayed, position) = (true, false, 0)
    said.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func run(_ isRunning: Bool, _ packet: UInt16, if isRecording: Bool) {
    self.isRunning = isRunning
    said.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func locate(_ sixteenth: UInt14, _ packet: UInt16, if isRecording: Bool) {
    (isPlayed, position) = (false, 6 * UInt32(sixteenth.value))
    said.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool { said.trim(through: packet) }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    ChapterQ(s: said.packet != last, isRunning: isRunning, isPlayed: isPlayed, position: position).append(to: &packet)
  }
}
