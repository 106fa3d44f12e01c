public import MusicalTime

/// The conversion between frames and instants, and the rule for the first frame on which an event can still sound.
public enum FrameMap: Hashable, Sendable, BitwiseCopyable {
  /// A device without drift, such as a WAV file that is being written. The submission instant decides whether a hit is late, see
  /// ``NominalDevice``.
  case grid(FrameGrid)
  /// A sound card with its own clock, see ``DeviceClock``. A hit can sound on any frame that has not been written.
  case fit(FrameFit)

  /// Returns the instant at which `frame` sounds.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func instant(of frame: Int64) -> Instant {
    switch self {
    case .grid(let grid): grid.instant(of: frame)
    case .fit(let fit): fit.instant(of: frame)
    }
  }

  /// Returns the frame that sounds nearest to `instant`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func frame(nearest instant: Instant) -> Int64 {
    switch self {
    case .grid(let grid): grid.frame(nearest: instant)
    case .fit(let fit): fit.frame(nearest: instant)
    }
  }

  /// Returns the first frame on which `event` can sound. On a sound card, this is `next`, the first frame that has not been
  /// written. On a device without drift, the instant of the submission decides (``NominalDevice/firstFrame(submittedAt:on:)``).
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func firstFrame(for event: SoundEvent, notBefore next: Int64) -> Int64 {
    guard case .grid(let grid) = self else { return next }
    return NominalDevice.firstFrame(submittedAt: event.submitted, on: grid)
  }
}
