public import MusicalTime

/// The state of a sound card as its audio thread sees it.
public struct CardState: Sendable, BitwiseCopyable {
  /// Whether the card plays, is lost or is missing.
  public enum Status: Hashable, Sendable, BitwiseCopyable {
    case playing
    /// The card is lost because of `code` (-errno, see ``PCMError/reason(of:)``). The audio thread tries to reopen it four
    /// times per second.
    case lost(code: Int32)
    /// The card was missing at the start, and the audio thread has not tried to open it yet.
    case awaited
  }

  public var status = Status.playing
  /// The nominal sample rate, in frames per second.
  public var rate: Int64 = 0
  /// The frames between two interrupts of the device.
  public var interval: Int64 = 0
  /// The maximum number of frames kept in the device, see ``FillLevel``.
  public var fillLevel: Int64 = 0
  /// The delay from writing a frame until the frame leaves the converter, as the device last reported it. After the device is
  /// opened and before its first report, the duration of ``fillLevel``.
  public var delay: Nanoseconds = .zero
  /// How long before its instant a hit must be submitted to sound in time. This is the sum of ``delay``, of the duration of the
  /// frames that the device takes at once (at least one batch), of one more batch, and of the configured latency.
  public var lead: Nanoseconds = .zero
  /// The configured latency that ``lead`` contains.
  public var latency: Nanoseconds = .zero
  /// The deviation of the device clock from the nominal rate, in parts per million; positive if the device is slow.
  public var drift = 0.0
  /// The number of underruns.
  public var underruns: Int64 = 0
  /// How often the device was lost.
  public var losses: Int64 = 0

  /// Creates the state of a card that plays.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Why the card is lost, as text for the user; nil if it is not lost.
  ///
  /// Real-time: not safe.
  public var reason: String? {
    guard case .lost(let code) = status else { return nil }
    return PCMError.reason(of: code)
  }

  /// Whether the card is lost because it, or its sound server, is missing.
  ///
  /// Real-time: not safe.
  public var isAbsent: Bool { if case .lost(let code) = status { PCMError.isAbsence(code) } else { false } }
}
