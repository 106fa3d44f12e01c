public import MusicalTime

/// A token bucket that limits the rate of messages or datagrams. The bucket holds at most ``depth`` tokens and is
/// refilled at ``rate``. Each message takes one token.
///
/// The default is for MIDI: a MIDI cable carries 1000 three-octet messages per second. The default rate is twice as
/// high, which is more than a player can produce.
public struct MessageBudget: Sendable, BitwiseCopyable {
  /// Messages per second.
  private let rate: Int64
  /// The number of tokens in a full bucket.
  private let depth: Int64

  /// The number of messages that were refused.
  public private(set) var refused: Int64 = 0
  /// The instant at which the bucket is full again. Each message moves the instant by the time in which one token is
  /// refilled.
  private var full = Instant(nanoseconds: .min)

  /// - Parameters:
  ///   - rate: messages per second, at least one.
  ///   - depth: the largest burst, at least one message.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(rate: Int64 = 2000, depth: Int64 = 512) { (self.rate, self.depth) = (rate, depth) }

  /// The instant from which a token is left.
  ///
  /// Real-time: safe.
  public var nextAdmission: Instant {
    @_noLocks @_noAllocation get {
      // Before the first message, `full` is the distant past, from which nothing can be subtracted.
      full > Instant(nanoseconds: 0) ? full - Nanoseconds(1_000_000_000 / rate * (depth - 1)) : full
    }
  }

  /// Takes a token at `now`.
  ///
  /// - Returns: whether the message is admitted.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func admit(at now: Instant) -> Bool {
    let refillTime = Nanoseconds(1_000_000_000 / rate)
    let start = full > now ? full : now
    // `start - now` is the time in which all missing tokens are refilled. If a token is left, at most `depth - 1` tokens
    // are missing.
    guard start - now <= Nanoseconds(refillTime.count * (depth - 1)) else {
      refused += 1
      return false
    }
    full = start + refillTime
    return true
  }
}
