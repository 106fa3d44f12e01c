import CALSA
import Glibc
import MusicalTime
import Realtime

/// An open playback stream and what was agreed with the device: the audio thread's view of a ``PCMDevice``. A handle,
/// free to copy; who closes the device sees to it that nobody uses it any more.
struct PCMStream: @unchecked Sendable, BitwiseCopyable {
  // Invariant: open from negotiation until PCMDevice.close; used by one thread at a time.
  let pcm: OpaquePointer
  let rate: Int64
  let channels: Int
  let format: PCMFormat
  /// Frames from one of its interrupts to the next, and frames it can hold.
  let period, buffer: Int64
  /// Whether a card stands behind it, rather than a sound server: its stamps are hardware's.
  let isHardware: Bool

  /// Where it stands: frames before the converter, frames that can be written, and when that was.
  struct Position: BitwiseCopyable {
    let delay, available: Int64
    let instant: Instant

    @_noLocks @_noAllocation
    fileprivate init(delay: Int64, available: Int64, at instant: Instant) {
      (self.delay, self.available, self.instant) = (delay, available, instant)
    }
  }

  /// Waits until there is room as set by ``wake(at:)``, 100 ms at most: 1, 0 when it took longer, or -errno.
  ///
  /// Real-time: safe (it waits, as asked).
  @_noLocks @_noAllocation
  func wait() -> Int32 { pcm_wait(pcm, 100) }

  /// Makes ``wait()`` end when so many frames can be written. 0 or -errno.
  @_noLocks @_noAllocation
  func wake(at available: Int64) -> Int32 { pcm_set_wake(pcm, UInt(truncatingIfNeeded: available)) }

  /// Writes `count` frames; how many it took, or -errno.
  @_noLocks @_noAllocation
  func write(_ frames: UnsafeRawPointer, _ count: Int64) -> Int64 {
    Int64(pcm_write(pcm, frames, UInt(truncatingIfNeeded: count)))
  }

  /// Stops what plays and gets ready for its first frames. 0 or -errno.
  @_noLocks @_noAllocation
  func prepare() -> Int32 { pcm_prepare(pcm) }

  @_noLocks @_noAllocation
  func start() -> Int32 { pcm_start(pcm) }

  /// Where it stands. Stamps are those of CLOCK_REALTIME, as for datagrams: the kernel's monotonic ones are not this
  /// process's where it has a time namespace. One that is missing, in the future, or not after `last` is replaced by the
  /// present, which is never too early: the kernel's first stamp after a start has been seen to be that of the start,
  /// 12 ms before its position. nil with -errno in `code`, -EPIPE after an underrun.
  @_noLocks @_noAllocation
  func position(after last: Instant, _ code: inout Int32) -> Position? {
    var position = pcm_position()
    code = pcm_read_position(pcm, &position)
    let now = MonotonicClock.now
    guard code >= 0 else { return nil }
    switch UInt32(truncatingIfNeeded: position.state) {
    case SND_PCM_STATE_XRUN.rawValue: code = -EPIPE
    case SND_PCM_STATE_SUSPENDED.rawValue: code = -ESTRPIPE
    case SND_PCM_STATE_DISCONNECTED.rawValue: code = -ENODEV
    default: break
    }
    guard code >= 0 else { return nil }
    let stamp = MonotonicClock.instant(ofRealtime: position.stamp)
    return Position(delay: position.delay, available: position.available, at: stamp > last ? stamp : now)
  }
}
