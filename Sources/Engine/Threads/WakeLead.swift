import MusicalTime

/// How long before a deadline the clock thread wakes. The thread then polls the clock until the deadline, so that neither the wake-up
/// time nor an interrupt that ends before the deadline delays the tick.
///
/// The lead follows the 99.99 % quantile of the wake-up time of this machine. In the lab, a thread with real-time priority needs 6 to 17 us
/// to wake (cyclictest, idle); on a busy virtual machine, one wake-up in a thousand takes longer than 40 to 100 us, and one in five
/// thousand longer than 150 us. The quantile is estimated by stochastic approximation (Robbins and Monro 1951): a wake-up time above the
/// lead increases the lead by one step, and any other decreases it by a ten thousandth of a step. The lead is stable if one wake-up in ten
/// thousand exceeds it. If the lead followed the 99.9 % quantile instead, late wake-ups would determine the 99.9 % quantile of the lateness
/// of the ticks. The lead begins at its maximum, because an estimate from few wake-ups is not reliable. It decreases slowly: on a fast
/// machine, it reaches its minimum after half an hour of rhythm at 120 BPM.
///
/// At 120 BPM, there are 104 deadlines per second: 48 ticks that leave at their due time, 48 that leave ahead of it, and 8 steps. The
/// thread polls for 0.2 % of the time at the minimum, and for 2.1 % at the maximum. Guard packets have no deadline, and the thread
/// does not wake earlier for them.
struct WakeLead: BitwiseCopyable {
  static var minimum: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(20) } }
  /// Equal to the time before a deadline in which the sender sends only what is due (``StreamSender/standardQuietTime``).
  static var maximum: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(200) } }
  private static var increase: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(10) } }
  private static var decrease: Nanoseconds { @_noLocks @_noAllocation get { Nanoseconds(1) } }

  private(set) var value = WakeLead.maximum

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
      value = value + Self.increase
      if value > Self.maximum { value = Self.maximum }
    } else if value > Self.minimum {
      value = value - Self.decrease
    }
  }
}
