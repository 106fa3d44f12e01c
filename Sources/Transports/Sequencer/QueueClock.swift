import CALSA
internal import MusicalTime
import Realtime

/// The clock that stamps arrivals: an ALSA queue of our own, and how its time relates to CLOCK_MONOTONIC.
///
/// Queue time is what the queue's timer has counted, plus what CLOCK_MONOTONIC has gone on since the timer was last
/// heard. It does not drift, but it jumps: back by as much as the timer was heard late, and at its first count by as
/// much as a period of the timer's, or of another queue on it, which a second one waits for before it counts (4.6 ms
/// seen alone on the system timer; beside another 72 ms at 10 Hz, 0.5 ms at 1000 Hz). So the two clocks are compared whenever arrivals are
/// fetched, and a stamp is told by its age: no jump matters but one between an arrival and its fetching. What timer it
/// is does not matter either, so it is the system timer, on which hardly anybody else's queue waits for ours.
/// Comparing is reading one clock between two readings of the other; of three such brackets the narrowest counts,
/// unless one is narrow enough.
struct QueueClock: @unchecked Sendable, BitwiseCopyable {
  let queue: Int32
  // Invariant: allocated in init, never freed, touched by the receiving thread alone. Queue time 0 in nanoseconds of
  // CLOCK_MONOTONIC.
  private let origin: UnsafeMutablePointer<Int64>

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
    origin.initialize(to: 0)
    chooseTimer(of: control)
    snd_seq_control_queue(control, queue, Int32(SND_SEQ_EVENT_START.rawValue), 0, nil)
    let code = snd_seq_drain_output(control)
    guard code >= 0 else { throw TransportError("ALSA sequencer: the queue does not start (\(reason(code)))") }
    // Until it has counted for the first time.
    MonotonicClock.sleep(until: MonotonicClock.now + .milliseconds(50))
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
    snd_timer_id_set_device(identity, SND_TIMER_GLOBAL_SYSTEM)
    snd_timer_id_set_subdevice(identity, 0)
    snd_seq_queue_timer_set_id(timer, identity)
    snd_seq_queue_timer_set_resolution(timer, 100)
    snd_seq_set_queue_timer(control, queue, timer)
  }

  /// Compares the two clocks anew.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func compare(by handle: OpaquePointer) {
    var narrowest = Int64.max
    var tries = 3
    while tries > 0, narrowest > 5_000 {
      tries -= 1
      let before = MonotonicClock.now
      let time = sequencer_queue_time(handle, queue)
      let bracket = (MonotonicClock.now - before).count
      guard time >= 0, bracket < narrowest else { continue }
      narrowest = bracket
      origin.pointee = before.nanoseconds &+ bracket / 2 &- time
    }
  }

  /// The moment of the queue's `time`. A stamp that would lie in the future, or more than a second back, is none: then
  /// the answer is now.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  func instant(of time: snd_seq_real_time_t) -> Instant {
    let now = MonotonicClock.now
    let stamp = Instant(nanoseconds: origin.pointee &+ Int64(time.tv_sec) * 1_000_000_000 &+ Int64(time.tv_nsec))
    let ago = (now - stamp).count
    return ago >= 0 && ago <= 1_000_000_000 ? stamp : now
  }
}

/// What the ALSA library calls error `code`.
func reason(_ code: Int32) -> String { String(cString: snd_strerror(code)) }
