import BasicContainers
import MIDI

/// What a stream has said by quarter frames: the newest time told in whole, and the nibbles of one being told (MIDI
/// Time Code 4.2.1: eight quarter frames tell a time, in rising order when the tape runs forwards, else in falling
/// order).
///
/// A time whose first quarter frame was not sent, or with one left out, is not told.
struct TimeCodeHistory: BitwiseCopyable {
  private var complete: UInt32?
  private var nibbles: UInt32 = 0
  /// `nibbles` began with the first quarter frame of a time.
  private var isBegun = false
  private var isBackwards = false
  private var point: UInt8 = 0
  private(set) var said = Said()

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func quarterFrame(_ data: UInt7, _ packet: UInt16, if isRecording: Bool) {
    let next = data.value >> 4
    let isNextUp = next == (point + 1) & 7
    let isNextDown = next == (point + 7) & 7
    if isBegun, isBackwards ? !isNextDown : !isNextUp { isBegun = false }
    if !isBegun {
      // A time begins with 0, or, backwards, with 7: one that follows a 7 upwards is forwards, and the like.
      if next == 0 || next == 7 {
        (isBegun, isBackwards, nibbles) = (true, next == 7, 0)
      }
    }
    point = next
    guard isBegun else { return }
    nibbles |= UInt32(data.value & 0x0F) << (28 - 4 * UInt32(next))
    if next == (isBackwards ? 0 : 7) {
      (complete, isBegun) = (nibbles, false)
    }
    said.mark(packet, if: isRecording)
  }

  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool { said.trim(through: packet) }

  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    ChapterF(
      s: said.packet != last, complete: complete, isQuarterFrames: true, partial: isBegun ? nibbles : nil,
      isBackwards: isBackwards, point: point
    ).append(to: &packet)
  }
}
