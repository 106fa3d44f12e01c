public import MusicalTime

/// How a sound card is doing, as its audio thread sees it.
public struct CardState: Sendable, BitwiseCopyable {
  public enum Presence: Hashable, Sendable, BitwiseCopyable {
    /// It plays.
    case playing
    /// It is gone, for the reason `code` (-errno, see ``PCMError/reason(of:)``); it is tried again four times a second.
    case gone(code: Int32)
  }

  public var presence = Presence.playing
  /// Frames a second, nominal.
  public var rate: Int64 = 0
  /// Frames from one of its interrupts to the next.
  public var period: Int64 = 0
  /// Frames that are kept in it, at most; more after an underrun that was nobody's fault.
  public var level: Int64 = 0
  /// From writing a frame to its leaving the converter, as the device tells it, read last.
  public var delay: Nanoseconds = .zero
  /// How far ahead of its instant a hit must be handed over to sound in time: delay, two periods, and the latency added by
  /// hand.
  public var lead: Nanoseconds = .zero
  /// How much longer than nominal a second of its clock lasts, in parts per million.
  public var drift = 0.0
  /// How often it has run empty, and how often it has been lost.
  public var underruns: Int64 = 0
  public var losses: Int64 = 0

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Why it is gone, for people; nil while it plays.
  public var reason: String? {
    guard case .gone(let code) = presence else { return nil }
    return PCMError.reason(of: code)
  }
}
