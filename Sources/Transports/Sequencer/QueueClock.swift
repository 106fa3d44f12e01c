import CALSA
internal import MusicalTime
import Realtime
import Synchronization

/// The clock that stamps arrivals: an ALSA queue of our own, and how its time relates to CLOCK_MONOTONIC.
///
/// Queue time is what the queue's timer has counted, plus what CLOCK_MONOTONIC has gone on since the timer was last
/// heard. So it does not drift, as long as the timer counts as CLOCK_MONOTONIC does: the high-resolution timer does,
/// and stays within 2 us of it; the system timer, which counts jiffies, was seen 65 us off (20 s in the lab). What is
/// left is by how much the timer's last interrupt was late. The timer is asked for its slowest rate, 10 Hz: the stamps
/// are as good as with 1000 Hz, for a hundredth of the interrupts. The two clocks are compared by reading one between
/// two readings of the other; of many such brackets the narrowest was disturbed least.
struct QueueClock: @unchecked Sendable, BitwiseCopyable {
  let queue: Int32
  // Invariant: allocated in init, never freed, touched only atomically. Queue time 0 in nanoseconds of CLOCK_MONOTONIC.
  private let origin: UnsafeMutablePointer<Atomic<Int64>>

  /// Makes and starts a queue that belongs to `control`.
  ///
  /// - Throws: ``TransportError`` when the sequencer has no queue left.
  ///
  /// Real-time: not safe.
  init(control: OpaquePointer, name: String) throws(TransportError) {
    queue = snd_seq_alloc_named_queue(control, name)
    guard queue >= 0 else {
      throw TransportError("ALSA sequencer: no queue (\(reason(queue))); close other MIDI programs")
    }
    origin = .allocate(capacity: 1)
    origin.initialize(to: Atomic(0))
    chooseTimer(of: control)
    snd_seq_control_queue(control, queue, Int32(SND_SEQ_EVENT_START.rawValue), 0, nil)
    let code = snd_seq_drain_output(control)
    guard code >= 0 else { throw TransportError("ALSA sequencer: the queue does not start (\(reason(code)))") }
    compare(by: control)
  }

  /// The queue keeps its default timer where this one cannot be had.
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
    snd_timer_id_set_device(identity, SND_TIMER_GLOBAL_HRTIMER)
    snd_timer_id_set_subdevice(identity, 0)
    snd_seq_queue_timer_set_id(timer, identity)
    snd_seq_queue_timer_set_resolution(timer, 10)
    snd_seq_set_queue_timer(control, queue, timer)
  }

  /// Compares the two clocks anew. It takes some 0.2 ms.
  ///
  /// Real-time: not safe.
  func compare(by control: OpaquePointer) {
    var status: OpaquePointer?
    guard snd_seq_queue_status_malloc(&status) == 0 else { return }
    defer { snd_seq_queue_status_free(status) }
    var narrowest = Int64.max
    for _ in 0..<50 {
      let before = MonotonicClock.now
      guard snd_seq_get_queue_status(control, queue, status) == 0,
        let time = snd_seq_queue_status_get_real_time(status)
      else { return }
      let bracket = MonotonicClock.now - before
      guard bracket.count < narrowest else { continue }
      narrowest = bracket.count
      let middle = before.nanoseconds + bracket.count / 2
      origin.pointee.store(middle &- nanoseconds(of: time.pointee), ordering: .relaxed)
    }
  }

  /// The moment of the queue's `time`. A stamp that would lie in the future, or more than a second back, is none: then
  /// the answer is now.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func instant(of time: snd_seq_real_time_t) -> Instant {
    let now = MonotonicClock.now
    let stamp = Instant(nanoseconds: origin.pointee.load(ordering: .relaxed) &+ nanoseconds(of: time))
    let ago = (now - stamp).count
    return ago >= 0 && ago <= 1_000_000_000 ? stamp : now
  }

  @_noLocks @_noAllocation
  private func nanoseconds(of time: snd_seq_real_time_t) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// What the ALSA library calls error `code`.
func reason(_ code: Int32) -> String { String(cString: snd_strerror(code)) }
