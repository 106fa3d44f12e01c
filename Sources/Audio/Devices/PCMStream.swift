import CALSA
import Glibc
import MusicalTime
import Realtime

/// An open stream for playback or capture with its negotiated parameters. The stream is a handle, and copying it is free. The
/// owner of the stream (``PCMDevice``, ``PCMPlayback`` or ``PCMCapture``) must make sure that no copy is used after it closes the
/// stream.
struct PCMStream: @unchecked Sendable, BitwiseCopyable {
  // Invariant: open from the negotiation until the owner closes it, and used by one thread at a time.
  let pcm: OpaquePointer
  let rate: Int64
  let channels: Int
  let format: PCMFormat
  /// The number of frames that the device should still hold when the next batch is written.
  let period: Int64
  /// `interval`: the frames between two interrupts of the device, which ALSA calls a period. `buffer`: the capacity of its
  /// buffer in frames.
  let interval, buffer: Int64
  /// Whether the stream uses a card and not a sound server, so that its time stamps come from the hardware.
  let isHardware: Bool

  /// The number of blocks that are written at once. A sound server gets a batch of four blocks: with smaller writes, it takes
  /// frames at irregular instants and runs empty at the start.
  ///
  /// Real-time: safe.
  var blocksPerBatch: Int { @_noLocks @_noAllocation get { isHardware ? 1 : 4 } }

  /// The frames after a start during which a reported position may be wrong, because the device is still starting.
  ///
  /// Real-time: safe.
  var startFrames: Int64 { @_noLocks @_noAllocation get { 256 } }

  /// A position report of the device.
  struct Position: BitwiseCopyable {
    /// `delay`: the frames between the next frame to be written and the frame at the converter. `available`: the frames that can
    /// be written. For capture, both count recorded frames that have not been read.
    let delay, available: Int64
    /// The instant of the report.
    let instant: Instant

    @_noLocks @_noAllocation
    fileprivate init(delay: Int64, available: Int64, at instant: Instant) {
      (self.delay, self.available, self.instant) = (delay, available, instant)
    }
  }

  /// Waits until as many frames can be written as ``setWakeThreshold(_:)`` specifies, or, for capture, until frames can be read.
  /// Returns 1, 0 after a timeout of 100 ms, or -errno.
  ///
  /// Real-time: safe. The function blocks while it waits.
  @_noLocks @_noAllocation
  func wait() -> Int32 { pcm_wait(pcm, 100) }

  /// Makes ``wait()`` return when `available` frames can be written. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func setWakeThreshold(_ available: Int64) -> Int32 { pcm_set_wake(pcm, UInt(truncatingIfNeeded: available)) }

  /// Writes `count` frames. Returns the number of frames that the device accepted, or -errno.
  @_noLocks @_noAllocation
  func write(_ frames: UnsafeRawPointer, _ count: Int64) -> Int64 {
    Int64(pcm_write(pcm, frames, UInt(truncatingIfNeeded: count)))
  }

  /// Prepares the stream, which must not be running, for its first frames. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func prepare() -> Int32 { pcm_prepare(pcm) }

  /// Starts the prepared stream. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func start() -> Int32 { pcm_start(pcm) }

  /// Returns the current position, or nil with -errno in `code`: -EPIPE after an underrun (for capture, an overrun), -ESTRPIPE
  /// after a suspend, -ENODEV if the device was disconnected.
  ///
  /// The stamps are CLOCK_REALTIME, because in a time namespace, the monotonic stamps of the kernel differ from the monotonic clock of
  /// this process. A stamp that is missing, in the future, more than a second old, or not after `last` is replaced by the current time,
  /// which is never too early. In one observed case, the first stamp of the kernel after a start was 12 ms too early: it was the instant
  /// of the start.
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
    // This call replaces a stamp that is missing, in the future or more than a second old.
    let stamp = MonotonicClock.instant(ofRealtime: position.stamp)
    return Position(delay: position.delay, available: position.available, at: stamp > last ? stamp : now)
  }
}
