import MusicalTime
import Realtime

/// Playing from beginning to end, and what happens while there is no device.
extension CardLoop {
  /// Frames that are kept in `stream` at first: two periods; of a sound server, which moves in steps of its own, four of
  /// 256 frames at least.
  static func firstLevel(of stream: PCMStream) -> Int64 {
    let least = stream.isHardware ? 2 * NominalDevice.period : 4 * NominalDevice.period
    return min(max(2 * stream.period, least), stream.buffer)
  }

  /// Plays until the end, and lets what has been written sound. It is the whole life of the audio thread.
  ///
  /// Real-time: not safe, while the device is lost; ``start()`` and ``step()`` are.
  package func run() {
    while !play(), awaitReturn() {}
    // Bounded: what a device holds beyond a second is no longer music.
    let sounded = clock.line.instant(of: next)
    let patience = MonotonicClock.now + .seconds(1)
    if stream != nil { MonotonicClock.sleep(until: min(sounded, patience)) }
    device.close()
  }

  /// Gives the device back and takes hits, until it can be opened again: true. false when the end has come. It is opened
  /// four times a second at most, also when it opens and then does not start.
  ///
  /// Real-time: not safe.
  package func awaitReturn() -> Bool {
    device.close()
    stream = nil
    while true {
      let now = MonotonicClock.now
      if now >= end { return false }
      var hasReturned = false
      if now - lastAttempt >= .milliseconds(250) {
        lastAttempt = now
        do {
          try device.reopen()
          hasReturned = true
        } catch {
          state.presence = .gone(code: error.code)
        }
      }
      // Also what came while it was opened, which may take long.
      takeEvents()
      renderer.drop(before: MonotonicClock.now)
      if hasReturned {
        adopt()
        return true
      }
      publish()
      MonotonicClock.sleep(until: now + .milliseconds(10))
    }
  }

  /// Plays until the end: true; false when the device is lost.
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

  /// Takes over what was agreed with the device. Its clock may be another one's.
  func adopt() {
    stream = device.stream
    guard let stream else { return }
    frames = InterleavedPeriod(format: stream.format, channels: stream.channels)
    silence = InterleavedPeriod(format: stream.format, channels: stream.channels)
    level = min(max(level, Self.firstLevel(of: stream)), stream.buffer)
    patience = stream.isHardware ? .seconds(1) : .seconds(5)
    state.period = stream.period
    state.delay = grid.instant(of: level) - grid.instant(of: 0)
    let now = MonotonicClock.now
    let due = clock.line.frame(nearest: now)
    clock = DeviceClock(
      grid: grid, stamps: stream.isHardware ? .stale : .noisy, frame: max(due, next), at: now)
  }
}
