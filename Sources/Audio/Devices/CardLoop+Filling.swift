import Glibc
import MusicalTime
import Realtime

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
