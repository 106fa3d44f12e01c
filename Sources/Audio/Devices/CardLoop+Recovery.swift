import Glibc
import MusicalTime
import Realtime

/// Starting the device, and starting it again.
extension CardLoop {
  /// After an underrun or a suspend goes on; everything else means that the device is lost.
  @_noLocks @_noAllocation
  func recover(_ stream: PCMStream, from code: Int32) -> Outcome {
    guard code == -EPIPE || code == -ESTRPIPE else { return lose(code) }
    let now = MonotonicClock.now
    let held = grid.instant(of: level) - grid.instant(of: 0)
    // No &&: its right side would be a closure over this object.
    var mayHoldMore = false
    let isUnderrun = code == -EPIPE
    if isUnderrun, now - lastWrite <= held + held { mayHoldMore = level < stream.buffer }
    if mayHoldMore {
      let more = level &+ (stream.period > NominalDevice.period ? stream.period : NominalDevice.period)
      level = more < stream.buffer ? more : stream.buffer
    }
    if now - started > .milliseconds(500) { mayHoldMore = false }
    let first = next
    let code = restart(stream)
    // Nothing sounds from the first frame that had not been written to the last of the silence.
    if !isUnderrun {
      renderer.countSilence(frames: next &- first)
    } else if !mayHoldMore {
      renderer.countUnderrun(frames: next &- first)
    }
    if code < 0 { return lose(code) }
    publish()
    return .playing
  }

  /// Prepares, fills with silence and starts. 0 or -errno.
  @_noLocks @_noAllocation
  func restart(_ stream: PCMStream) -> Int32 {
    var code = stream.prepare()
    if code >= 0 { code = stream.wake(at: stream.buffer &- level &+ NominalDevice.period) }
    if code < 0 { return code }
    let due = clock.line.frame(nearest: MonotonicClock.now)
    let first = due > next ? due : next
    next = first
    written = NominalDevice.period
    while next &- first &+ NominalDevice.period <= level {
      let count = stream.write(silence.bytes(from: 0), NominalDevice.period)
      if count == Int64(-EAGAIN) || count == 0 { break }
      if count < 0 { return Int32(truncatingIfNeeded: count) }
      next = next &+ count
    }
    code = stream.start()
    if code < 0 { return code }
    lastWrite = MonotonicClock.now
    lastStamp = lastWrite
    pace.restart(at: lastWrite)
    pace.take(next &- first, at: lastWrite)
    clock.restart(frame: first, at: lastWrite)
    firstTrusted = first &+ NominalDevice.period
    renderer.map = .line(clock.line)
    return 0
  }
}
