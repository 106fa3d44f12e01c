public import MusicalTime

/// Which frame sounds when, and from which frame on a hit can still sound.
public enum FrameMap: Hashable, Sendable, BitwiseCopyable {
  /// The card that never drifts: whether a hit is late is decided by when it was handed over, see ``NominalDevice``.
  case grid(FrameGrid)
  /// A sound card with a clock of its own, see ``DeviceClock``: a hit can sound on any frame not written yet.
  case line(FrameFit)

  /// When `frame` sounds.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    switch self {
    case .grid(let grid): grid.instant(of: frame)
    case .line(let line): line.instant(of: frame)
    }
  }

  /// The frame that sounds nearest to `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    switch self {
    case .grid(let grid): grid.frame(nearest: instant)
    case .line(let line): line.frame(nearest: instant)
    }
  }

  /// The first frame on which `event` can sound, if no more than the frames before `next` have been written.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func firstFrame(for event: SoundEvent, notBefore next: Int64) -> Int64 {
    guard case .grid(let grid) = self else { return next }
    return NominalDevice.firstFrame(takenAfter: event.handed, on: grid)
  }
}
