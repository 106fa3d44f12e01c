import Glibc
import MusicalTime
import Realtime

/// Starting and restarting the device.
extension CardLoop {
  /// Restarts the device after an underrun (-EPIPE) or a suspend (-ESTRPIPE). Any other error means that the device is
  /// lost.
  @_noLocks @_noAllocation
  func recover(_ stream: PCMStream, from code: Int32) -> Outcome {
    guard code == -EPIPE || code == -ESTRPIPE else { return markLost(code) }
    let now = MonotonicClock.now
    let bufferedTime = grid.instant(of: fillLevel) - grid.instant(of: 0)
    // No &&: its right-hand side would be a closure that captures this object.
    var raisesFillLevel = false
    let isUnderrun = code == -EPIPE
    if isUnderrun, now - lastWrite <= bufferedTime + bufferedTime { raisesFillLevel = fillLevel < stream.buffer }
    if raisesFillLevel {
      let raised = fillLevel &+ (stream.period > NominalDevice.period ? stream.period : NominalDevice.period)
      fillLevel = raised < stream.buffer ? raised : stream.buffer
    }
    // An underrun that finds the fill level during the first half second is not counted.
    if now - startInstant > .milliseconds(500) { raisesFillLevel = false }
    let first = nextFrame
    let code = restart(stream)
    // The gap: from the first frame that had not been written to the last frame of the silence.
    if !isUnderrun {
      renderer.countSilence(frames: nextFrame &- first)
    } else if !raisesFillLevel {
      renderer.countUnderrun(frames: nextFrame &- first)
    }
    if code < 0 { return markLost(code) }
    publish()
    return .playing
  }

  /// Prepares the device, fills it with silence and starts it. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func restart(_ stream: PCMStream) -> Int32 {
    var code = stream.prepare()
    if code >= 0 { code = stream.setWakeThreshold(stream.buffer &- fillLevel &+ NominalDevice.period) }
    if code < 0 { return code }
    let due = clock.fit.frame(nearest: MonotonicClock.now)
    let first = due > nextFrame ? due : nextFrame
    nextFrame = first
    writtenFrames = NominalDevice.period
    while nextFrame &- first &+ NominalDevice.period <= fillLevel {
      let count = stream.write(silence.bytes(from: 0), NominalDevice.period)
      if count == Int64(-EAGAIN) || count == 0 { break }
      if count < 0 { return Int32(truncatingIfNeeded: count) }
      nextFrame = nextFrame &+ count
    }
    code = stream.start()
    if code < 0 { return code }
    lastWrite = MonotonicClock.now
    lastStamp = lastWrite
    bucket.empty(at: lastWrite)
    bucket.add(nextFrame &- first, at: lastWrite)
    clock.restart(frame: first, at: lastWrite)
    firstReliableFrame = first &+ NominalDevice.period
    renderer.map = .fit(clock.fit)
    return 0
  }
}
