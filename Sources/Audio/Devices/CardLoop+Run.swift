import Glibc
import MusicalTime
import Realtime

// The complete run of the audio thread, including the time while the device is lost.
extension CardLoop {
  /// The initial fill level of `stream` in frames, at most the size of its buffer:
  ///
  /// - For a card: the sum of the period and of the frames between two interrupts, rounded up to whole blocks. When an interrupt
  ///   wakes the thread, the card then still holds a period.
  /// - For a sound server, which takes frames in steps of its own: two periods, but at least 1024 frames.
  static func initialFillLevel(of stream: PCMStream) -> Int64 {
    guard stream.isHardware else { return min(max(2 * stream.period, 1_024), stream.buffer) }
    let blocks = (stream.period + stream.interval + StereoBlock.length - 1) / StereoBlock.length
    return min(blocks * StereoBlock.length, stream.buffer)
  }

  /// Plays until the end, lets the written frames sound, and closes the device. This is the body of the audio thread.
  ///
  /// Real-time: not safe while the device is missing or lost, and when it is closed. ``start()`` and ``step()`` are safe.
  package func run() {
    // Each iteration is one loss of the device, or its absence at the start. The loop ends when `play` or `waitUntilReopened`
    // reaches the end.
    while !play(), waitUntilReopened() {}
    // The device is closed when the written frames have sounded, at the latest after one second.
    let lastFrameEnd = clock.fit.instant(of: nextFrame)
    let limit = MonotonicClock.now + .seconds(1)
    if stream != nil { MonotonicClock.sleep(until: min(lastFrameEnd, limit)) }
    device.close()
  }

  /// Closes the device, and drops the hits that fall due until the device can be opened again. Tries to open the device at
  /// most four times per second, even if each attempt succeeds and the device then does not start.
  ///
  /// - Returns: true when the device is open, false when the end is reached.
  ///
  /// Real-time: not safe.
  package func waitUntilReopened() -> Bool {
    device.close()
    stream = nil
    while true {
      let now = MonotonicClock.now
      if now >= end { return false }
      var isOpen = false
      if now - lastOpenAttempt >= .milliseconds(250) {
        lastOpenAttempt = now
        do {
          try device.reopen()
          isOpen = true
          // Opening may have loaded libraries.
          MemoryLock.lockCode()
        } catch {
          state.status = .lost(code: error.code)
        }
      }
      // The events are taken after the attempt to open, because the attempt may take long and events arrive meanwhile.
      drainEvents()
      renderer.drop(before: MonotonicClock.now)
      if isOpen {
        applyNegotiatedParameters()
        return true
      }
      publish()
      MonotonicClock.sleep(until: now + .milliseconds(10))
    }
  }

  /// Starts the device and plays. Returns true when the end is reached, false when the device is lost.
  @_noLocks @_noAllocation
  private func play() -> Bool {
    guard start() else { return false }
    while true {
      switch step() {
      case .playing: continue
      case .lost: return false
      case .ended: return true
      }
    }
  }

  /// Applies the parameters negotiated with the opened device and resets ``clock``, because the device may be another one with
  /// another clock. Has no effect if no device is open.
  func applyNegotiatedParameters() {
    stream = device.stream
    guard let stream else { return }
    batch = InterleavedBatch(blocks: stream.blocksPerBatch, format: stream.format, channels: stream.channels)
    silence = InterleavedBatch(blocks: stream.blocksPerBatch, format: stream.format, channels: stream.channels)
    // A level that underruns have raised before the loss is kept.
    level.adopt(
      initial: Self.initialFillLevel(of: stream), step: max(stream.period, batch.length), capacity: stream.buffer,
      at: MonotonicClock.now)
    stallTimeout = stream.isHardware ? .seconds(1) : .seconds(5)
    state.interval = stream.interval
    state.delay = grid.instant(of: fillLevel) - grid.instant(of: 0)
    let now = MonotonicClock.now
    let due = clock.fit.frame(nearest: now)
    // Frame numbers never decrease, so the new clock begins at `nextFrame` or later. The positions that a card reports may be old but
    // are never ahead (``DeviceClock/Noise/oneSided``). Those of a sound server have errors of both signs.
    clock = DeviceClock(
      grid: grid, noise: stream.isHardware ? .oneSided : .symmetric, frame: max(due, nextFrame), at: now)
  }
}

// Rendering and writing.
extension CardLoop {
  /// Writes batches until the device accepts no more frames, or until the next batch would exceed ``fillLevel``. Returns 0 or
  /// -errno.
  ///
  /// - Parameter queued: The number of frames that the device holds now.
  @_noLocks @_noAllocation
  func fill(_ stream: PCMStream, queued: Int64) -> Int32 {
    var held = queued
    while held &+ batch.length <= fillLevel {
      // If all frames of `batch` have been written, renders the next batch.
      if writtenFrames >= batch.length { render() }
      let count = stream.write(batch.bytes(from: Int(writtenFrames)), batch.length &- writtenFrames)
      // Ends the loop if the device has no space for more frames.
      if count == Int64(-EAGAIN) || count == 0 { break }
      if count < 0 { return Int32(truncatingIfNeeded: count) }
      writtenFrames = writtenFrames &+ count
      nextFrame = nextFrame &+ count
      held = held &+ count
    }
    let now = MonotonicClock.now
    filledFrames = held &- queued
    // ``step()`` compares the level of the bucket with the size of the buffer plus a margin, to detect a device that accepts
    // frames without playing them.
    bucket.add(filledFrames, at: now)
    // Without this sleep, a device that wakes the thread but accepts no frames would keep the thread busy.
    guard filledFrames > 0 else {
      MonotonicClock.sleep(until: now + .milliseconds(1))
      return 0
    }
    lastWrite = now
    state.status = .playing
    return 0
  }

  /// Renders the blocks that begin at ``nextFrame`` into ``batch``.
  @_noLocks @_noAllocation
  private func render() {
    block.frame = nextFrame
    while block.frame < nextFrame &+ batch.length {
      renderer.render(&block)
      batch.fill(block, from: Int(block.frame &- nextFrame))
      block.frame = block.frame &+ StereoBlock.length
    }
    writtenFrames = 0
  }
}
