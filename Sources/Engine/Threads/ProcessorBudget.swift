import MusicalTime

/// A limit of the processor time of a real-time thread: a quarter of a core, with bursts of at most 2 ms.
///
/// The budget is a token bucket of processor time. It holds at most ``burst`` and is refilled with one nanosecond every ``inverseShare``
/// nanoseconds. The thread reports its processor time after each round of work. If the bucket is empty, the thread must pause until the
/// bucket holds ``reserve`` again. Time that was used in excess is a debt, and lengthens the pause. In any interval t, the thread uses at
/// most 2 ms + t / 4, plus the time of one round.
///
/// The burst must be short, because it delays the audio thread, which has a lower priority. Example: a sound card buffer is filled with 512
/// frames at 48 kHz (10.7 ms), and the device takes 4 ms of sound at each expiry of a timer. In the worst case, one expiry comes just
/// before the audio thread looks at the buffer, and the next one just after. Together they take 8 ms of sound, so the audio thread may be
/// late by the remaining 2.7 ms.
///
/// The burst must also be long enough that the bucket is never empty in ordinary traffic. 2 ms suffice for 70 datagrams in one burst on the
/// slow processor of the lab, and for hundreds on other processors. If more datagrams arrive in one burst, the rest of them waits until the
/// end of the pause, which lasts 2 ms or more.
///
/// A bucket is better than fixed windows. With fixed windows of 8 ms, a thread can use 2 ms at the end of one window and 2 ms at the
/// beginning of the next one, which is 4 ms without a pause, and then pauses for 6 ms.
///
/// The state of the bucket is stored as the instant at which it will be full again. Used processor time moves this instant into the
/// future, as in ``MessageBudget``.
struct ProcessorBudget: BitwiseCopyable {
  /// The capacity of the bucket.
  static var burst: Nanoseconds { @_noLocks @_noAllocation get { .milliseconds(2) } }
  /// The content of the bucket at the end of a pause.
  static var reserve: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(500) } }
  /// The reciprocal of the share: the thread may use 1/4 of a core.
  static var inverseShare: Int64 { @_noLocks @_noAllocation get { 4 } }

  /// When the bucket is full again.
  private var full = Instant(nanoseconds: .min)
  /// The processor time of the thread at the last report; nil before the first report.
  private var reported: Nanoseconds?

  /// Reports the processor time of the thread since its start.
  ///
  /// - Returns: the instant until which the thread must pause; nil if it may continue.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func pauseEnd(used: Nanoseconds, at now: Instant) -> Instant? {
    guard let before = reported else {
      reported = used
      return nil
    }
    reported = used
    // `refill` is the time that refills the used processor time. `capacity` is the time that refills an empty bucket.
    let refill = Nanoseconds((used - before).count &* ProcessorBudget.inverseShare)
    full = (full > now ? full : now) + refill
    let capacity = ProcessorBudget.burst.count &* ProcessorBudget.inverseShare
    guard (full - now).count >= capacity else { return nil }
    // The bucket will hold `reserve` at this instant: the rest of the bucket is refilled from then until `full`.
    return full - Nanoseconds(capacity &- ProcessorBudget.reserve.count &* ProcessorBudget.inverseShare)
  }
}
