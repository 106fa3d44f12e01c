import CALSA
internal import MusicalTime
import Realtime

/// The clock for arrival stamps: a private ALSA queue, and the conversion of its time to CLOCK_MONOTONIC.
///
/// Queue time is the count of the queue's timer plus the time of CLOCK_MONOTONIC since the last timer interrupt. It
/// does not drift, but it jumps:
///
/// - It jumps back by the delay of a late timer interrupt.
/// - At the first interrupt of the timer, it jumps by up to one period of the timer. If another queue uses the same timer, the
///   jump can be one period of the other queue, because a second queue waits for this period before its first interrupt. The
///   measured jumps are 4.6 ms if no other queue uses the system timer, 72 ms beside a queue with a timer of 10 Hz, and 0.5 ms
///   beside a queue with a timer of 1000 Hz.
///
/// Therefore the two clocks are compared whenever arrivals are fetched from the kernel, and the stamps are converted with the
/// newest comparison. Only a jump between an arrival and its fetching causes an error. In a flood of arrivals, each comparison is
/// used for half a millisecond, because reading the queue time is a system call that takes longer than all other work for an arrival.
///
/// The choice of the timer does not matter for the accuracy. The system timer is used, because other programs rarely have a
/// queue on it.
///
/// A comparison reads the queue time between two readings of CLOCK_MONOTONIC. It is made up to three times, until the two
/// readings of CLOCK_MONOTONIC are at most 5 us apart. If they never are, the comparison with the smallest distance is used.
struct QueueClock: @unchecked Sendable, BitwiseCopyable {
  /// The number of the queue.
  let queue: Int32
  // The newest comparison. Invariant: allocated in init, never freed, accessed only by the receiving thread.
  private let comparison: UnsafeMutablePointer<Comparison>

  private struct Comparison: BitwiseCopyable {
    /// Queue time 0 in nanoseconds of CLOCK_MONOTONIC.
    var origin: Int64
    /// The instant of the comparison.
    var instant: Instant
  }

  /// How long a comparison is used.
  private static var validity: Nanoseconds { @_noLocks @_noAllocation get { .microseconds(500) } }

  /// The maximum distance in nanoseconds of the two readings of CLOCK_MONOTONIC with which a comparison is accepted.
  private static var acceptedDistance: Int64 { @_noLocks @_noAllocation get { 5_000 } }

  /// Creates and starts a queue called `name` that belongs to the client `control`.
  ///
  /// - Throws: ``TransportError`` if the sequencer has no free queue, or if the queue cannot be started.
  ///
  /// Real-time: not safe.
  init(control: OpaquePointer, name: String) throws(TransportError) {
    queue = snd_seq_alloc_named_queue(control, name)
    guard queue >= 0 else {
      throw TransportError("ALSA sequencer: cannot create a queue (\(reason(queue))); close other MIDI programs")
    }
    comparison = .allocate(capacity: 1)
    comparison.initialize(to: Comparison(origin: 0, instant: Instant(nanoseconds: 0)))
    chooseTimer(of: control)
    snd_seq_control_queue(control, queue, Int32(SND_SEQ_EVENT_START.rawValue), 0, nil)
    let code = snd_seq_drain_output(control)
    guard code >= 0 else {
      throw TransportError("ALSA sequencer: cannot start the queue (\(reason(code))); close other MIDI programs")
    }
    // Waits for the first interrupt of the timer, at which the queue time jumps. This interrupt usually occurs within 50 ms.
    MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(50))
  }

  /// Selects the system timer. If it is not available, the queue keeps its default timer.
  private func chooseTimer(of control: OpaquePointer) {
    var timer: OpaquePointer?
    var identity: OpaquePointer?
    guard snd_seq_queue_timer_malloc(&timer) == 0, snd_timer_id_malloc(&identity) == 0 else { return }
    defer {
      snd_timer_id_free(identity)
      snd_seq_queue_timer_free(timer)
    }
    guard snd_seq_get_queue_timer(control, queue, timer) == 0 else { return }
    snd_timer_id_set_class(identity, Int32(SND_TIMER_CLASS_GLOBAL.rawValue))
    snd_timer_id_set_sclass(identity, Int32(SND_TIMER_SCLASS_NONE.rawValue))
    snd_timer_id_set_card(identity, -1)
    snd_timer_id_set_device(identity, SND_TIMER_GLOBAL_SYSTEM)
    snd_timer_id_set_subdevice(identity, 0)
    snd_seq_queue_timer_set_id(timer, identity)
    // The rate of the timer in hertz.
    snd_seq_queue_timer_set_resolution(timer, 100)
    snd_seq_set_queue_timer(control, queue, timer)
  }

  /// Compares the two clocks, unless the newest comparison is younger than ``validity``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func compare(by handle: OpaquePointer) {
    if MonotonicClock.now < comparison.pointee.instant + QueueClock.validity { return }
    var smallestDistance = Int64.max
    var tries = 3
    while tries > 0, smallestDistance > Self.acceptedDistance {
      tries -= 1
      let before = MonotonicClock.now
      let time = sequencer_queue_time(handle, queue)
      let distance = (MonotonicClock.now - before).count
      // A negative time is an error code. If all tries fail, the former origin remains.
      guard time >= 0, distance < smallestDistance else { continue }
      smallestDistance = distance
      // The queue time was read about midway between the two readings.
      comparison.pointee = Comparison(origin: before.nanoseconds &+ distance / 2 &- time, instant: before)
    }
  }

  /// Converts the queue time `time` to CLOCK_MONOTONIC. Returns the current time if the result would be in the future
  /// or more than one second in the past.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func instant(of time: snd_seq_real_time_t) -> Instant {
    let now = MonotonicClock.now
    let stamp = Instant(
      nanoseconds: comparison.pointee.origin &+ Int64(time.tv_sec) * 1_000_000_000 &+ Int64(time.tv_nsec))
    let age = (now - stamp).count
    return age >= 0 && age <= 1_000_000_000 ? stamp : now
  }
}

/// Returns the ALSA library's description of error `code`.
func reason(_ code: Int32) -> String { String(cString: snd_strerror(code)) }
