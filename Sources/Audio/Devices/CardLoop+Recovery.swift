import Glibc
import MusicalTime
import Realtime

// Starting and restarting the device.
extension CardLoop {
  /// Restarts the device after an underrun (-EPIPE) or a suspend (-ESTRPIPE). After any other error, or if the restart fails, the
  /// device is lost.
  @_noLocks @_noAllocation
  func recover(_ stream: PCMStream, from code: Int32) -> Outcome {
    guard code == -EPIPE || code == -ESTRPIPE else { return markLost(code) }
    let now = MonotonicClock.now
    let bufferedTime = grid.instant(of: fillLevel) - grid.instant(of: 0)
    let isUnderrun = code == -EPIPE
    // In the first half second, the loop still searches for a sufficient fill level. An underrun in this time is not counted if it
    // raises the level, or if a sound server was filling its own buffer.
    let hasJustStarted = now - startInstant <= .milliseconds(500)
    var isFilling = false
    if isUnderrun {
      let isEarly = startSeries.recordUnderrun(at: now, buffered: bufferedTime)
      isFilling = isEarly && !stream.isHardware
    }
    // The device runs empty when `bufferedTime` has passed since the last write. A thread that is on time notices the underrun soon
    // after that. If the thread notices the underrun at most twice `bufferedTime` after the last write, the device is the cause: its
    // fill level is too low. If the thread notices the underrun later, the thread was late and is the cause. An underrun within 25 ms
    // of the last write is always attributed to the device, because a device may report its interrupts that late.
    var raisesFillLevel = false
    if isUnderrun && !isFilling {
      let elapsed = now - lastWrite
      let isCausedByDevice = elapsed <= bufferedTime + bufferedTime || elapsed <= .milliseconds(25)
      raisesFillLevel = level.recordUnderrun(raises: isCausedByDevice, isStarting: hasJustStarted, at: now)
    }
    let isSearching = hasJustStarted && (isFilling || raisesFillLevel)
    let gapStart = nextFrame
    // A device that never plays must not occupy the processor.
    if isUnderrun { MonotonicClock.sleep(until: startSeries.nextStart(at: now)) }
    let restartCode = restart(stream)
    // The gap extends from the first frame that had not been written to the end of the silence that `restart` has written.
    let gap = nextFrame &- gapStart
    if isUnderrun && !isFilling && !isSearching {
      renderer.countUnderrun(frames: gap)
    } else if !isSearching {
      renderer.countSilence(frames: gap)
    }
    // If the connection to PipeWire is lost, every call fails with -EPIPE. While PipeWire does not run, attempts to open the device
    // fail with -EHOSTDOWN. The loss is recorded as -EHOSTDOWN at once. Otherwise the user would get two reports of one loss.
    if restartCode == -EPIPE, !stream.isHardware { return markLost(-EHOSTDOWN) }
    if restartCode < 0 { return markLost(restartCode) }
    publish()
    return .playing
  }

  /// Makes ``PCMStream/wait()`` return when the device holds one batch less than the fill level, so that one batch can be written.
  /// The threshold is the number of free frames in the buffer at this moment. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func setWakeThreshold(_ stream: PCMStream) -> Int32 {
    stream.setWakeThreshold(stream.buffer &- fillLevel &+ batch.length)
  }

  /// Prepares the device, fills it with silence and starts it, at the frame that is due now. Returns 0 or -errno.
  @_noLocks @_noAllocation
  func restart(_ stream: PCMStream) -> Int32 {
    var code = stream.prepare()
    if code >= 0 { code = setWakeThreshold(stream) }
    if code < 0 { return code }
    let due = clock.fit.frame(nearest: MonotonicClock.now)
    // Frame numbers never decrease.
    let first = due > nextFrame ? due : nextFrame
    nextFrame = first
    // Discards the rest of a partly written batch: the next fill renders a new one.
    writtenFrames = batch.length
    while nextFrame &- first &+ silence.length <= fillLevel {
      let count = stream.write(silence.bytes(from: 0), silence.length)
      if count == Int64(-EAGAIN) || count == 0 { break }
      if count < 0 { return Int32(truncatingIfNeeded: count) }
      nextFrame = nextFrame &+ count
    }
    code = stream.start()
    if code < 0 { return code }
    lastWrite = MonotonicClock.now
    startSeries.recordStart(at: lastWrite)
    // Time stamps from before the restart are not used.
    lastStamp = lastWrite
    // The leaky bucket contains only the frames just written.
    bucket.empty(at: lastWrite)
    bucket.add(nextFrame &- first, at: lastWrite)
    clock.restart(frame: first, at: lastWrite)
    // The first positions are not used for the clock, because they may be wrong (``PCMStream/startFrames``).
    firstReliableFrame = first &+ stream.startFrames
    renderer.map = .fit(clock.fit)
    return 0
  }
}
