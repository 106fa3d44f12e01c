import MusicalTime

/// How long before a deadline the clock thread wakes. The thread then polls the clock until the deadline, so that neither the wake-up
/// time nor an interrupt that ends before the deadline delays the tick.
///
/// The lead follows the 99.99 % quantile of the wake-up time of this machine. In the lab, a thread with real-time priority needs 6 to 17 us
/// to wake (cyclictest, idle); on a busy virtual machine, one wake-up in a thousand takes longer than 40 to 100 us, and one in five
/// thousand longer than 150 us. The quantile is estimated by stochastic approximation (Robbins and Monro 1951): a wake-up time above the
/// lead increases the lead by one step, and any other decreases it by a ten thousandth of a step. The lead is stable if one wake-up in ten
/// thousand exceeds it. If the lead followed the 99.9 % quantile instead, late wake-ups would determine the 99.9 % quantile of the lateness
/// of the ticks.
///
/// As in the original method, the steps become smaller. The lead begins at its maximum, because an estimate from few wake-ups is not
/// reliable, and falls quickly at first: on a fast machine, it reaches its minimum in a quarter of a minute of rhythm at 120 BPM. A large step
/// would increase the lead far beyond the wake-up time that caused it, so an increase ends 10 us above this time. After two minutes, the
/// step is 10 us and remains so, because the load of the machine can change. A peer begins with twice the lead of the peer that ran before
/// it (``WakeLeadFile``).
///
/// At 120 BPM, the thread of a master wakes about 150 times per second. Only the 48 ticks that are due need an exact instant
/// (``StreamSender/nextExact``), and only if a receiver plays on arrival, or a port or a trace gets them. For these, the thread polls for
/// 0.1 % of the time at the minimum, and for 1 % at the maximum. For all other work, the thread does not wake earlier.
struct WakeLead: BitwiseCopyable {
  static var minimum: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(20) } }
  /// Equal to the time before a deadline in which the sender sends only what is due (``StreamSender/standardQuietTime``).
  static var maximum: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(200) } }
  /// The final step in nanoseconds. A ten thousandth of it is one nanosecond.
  private static var step: Int64 { @_noLocks @_noAllocation get { 10_000 } }
  /// The number of wake-ups after which the gain is halved.
  private static var halving: Int64 { @_noLocks @_noAllocation get { 2048 } }

  private(set) var value: Nanoseconds
  /// The factor of the steps: a power of two, finally 1.
  private var gain: Int64
  /// The number of wake-ups with this gain.
  private var count: Int64 = 0

  /// - Parameter last: the last value of an earlier peer on this machine; nil if it is not known.
  init(last: Nanoseconds? = nil) {
    if let last {
      value = min(max(last + last, Self.minimum), Self.maximum)
      gain = 8
    } else {
      (value, gain) = (Self.maximum, 128)
    }
  }

  /// Records a wake-up.
  ///
  /// - Parameters:
  ///   - woken: when the thread ran again.
  ///   - wake: the instant for which the thread waited. A wake-up before this instant, by a ring of the ``Realtime/Doorbell``, changes
  ///     nothing.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func record(woken: Instant, after wake: Instant) {
    let late = woken - wake
    guard late >= .zero else { return }
    if late > value {
      let (increased, sufficient) = (value + Nanoseconds(Self.step &* gain), late + Nanoseconds(Self.step))
      value = increased < sufficient ? increased : sufficient
      if value > Self.maximum { value = Self.maximum }
    } else {
      value = value - Nanoseconds(gain)
      if value < Self.minimum { value = Self.minimum }
    }
    count &+= 1
    if count >= Self.halving, gain > 1 { (gain, count) = (gain &>> 1, 0) }
  }
}
