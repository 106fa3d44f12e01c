import BasicContainers
import MIDI

/// The MIDI Time Code that a stream has sent as quarter frames: the newest complete time, and the nibbles of an
/// incomplete one (MIDI Time Code 4.2.1). Eight quarter frames make a time, in ascending order if the tape runs
/// forwards, otherwise in descending order. A time with a missing quarter frame is ignored.
struct TimeCodeHistory: BitwiseCopyable {
  /// The nibbles of the newest complete time, as in ``ChapterF/complete``.
  private var complete: UInt32?
  /// The nibbles of the incomplete time. Valid only while ``isBegun`` is true.
  private var nibbles: UInt32 = 0
  /// Whether an incomplete time is being sent, and all its quarter frames so far were in order.
  private var isBegun = false
  private var isBackwards = false
  /// The number of the newest quarter frame, 0...7.
  private var point: UInt8 = 0
  /// The newest packet with a quarter frame of a time. A quarter frame belongs to no time if it is out of order, or if an earlier quarter
  /// frame of the time is missing.
  private(set) var lastSent = LastSent()

  @_noLocks @_noAllocation
  init() {}

  /// Records a quarter frame that was sent in packet `packet`. `data` contains the number of the quarter frame in the
  /// upper three bits and its nibble in the lower four.
  @_noLocks @_noAllocation
  mutating func quarterFrame(_ data: UInt7, _ packet: UInt16, if isRecording: Bool) {
    let next = data.value >> 4
    let isNextUp = next == (point + 1) & 7
    // Adding 7 modulo 8 subtracts 1.
    let isNextDown = next == (point + 7) & 7
    if isBegun, isBackwards ? !isNextDown : !isNextUp { isBegun = false }
    if !isBegun {
      // A time begins with quarter frame 0, or with quarter frame 7 if the tape runs backwards. After a
      // complete time, 0 therefore continues forwards, and 7 continues backwards.
      if next == 0 || next == 7 {
        (isBegun, isBackwards, nibbles) = (true, next == 7, 0)
      }
    }
    point = next
    guard isBegun else { return }
    // The nibble of quarter frame 0 is in the uppermost four bits.
    nibbles |= UInt32(data.value & 0x0F) << (28 - 4 * UInt32(next))
    if next == (isBackwards ? 0 : 7) {
      (complete, isBegun) = (nibbles, false)
    }
    lastSent.mark(packet, if: isRecording)
  }

  /// Removes the time from the checkpoint history if all its quarter frames were sent in `packet` or before. Returns whether
  /// it was removed.
  @_noLocks @_noAllocation
  mutating func trim(through packet: UInt16) -> Bool { lastSent.trim(through: packet) }

  /// Appends Chapter F. `last` is the sequence number of the packet directly before the one that is being encoded. Returns
  /// false, with nothing appended, if `packet` has no room.
  @_noLocks @_noAllocation
  func append(to packet: inout RigidArray<UInt8>, last: UInt16) -> Bool {
    ChapterF(
      s: lastSent.packet != last, complete: complete, isQuarterFrames: true, partial: isBegun ? nibbles : nil,
      isBackwards: isBackwards, point: point
    ).append(to: &packet)
  }
}
