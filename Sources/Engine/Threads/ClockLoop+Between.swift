import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Transports

// What the clock thread does between ticks.
extension ClockLoop {
  /// What goes to everybody, as far as it has come.
  struct Broadcast: BitwiseCopyable {
    /// Nil: the System Exclusive message that is prepared, to all Tutti peers.
    var message: Message?
    /// When it counts; nil: when it is sent.
    var instant: Instant?
    /// Whether the message goes to the Tutti peers, and not to the others.
    var isForTutti = true
    /// The stream that gets it next; nil when there is nothing to send.
    var next: Int?

    @_noLocks @_noAllocation
    init(from next: Int? = nil) { self.next = next }

    @_noLocks @_noAllocation
    init(_ message: Message, at instant: Instant?, isForTutti: Bool) {
      (self.message, self.instant, self.isForTutti, next) = (message, instant, isForTutti, 0)
    }
  }

  /// Sends what may wait: ticks that leave ahead of their time, timeline messages, and what players play; none of it while
  /// what is due at `next` is less than 200 us away. When that is overdue, as with more followers than there is time
  /// for, a slice goes all the same.
  ///
  /// - Returns: whether there is more, for which there is time after another look at commands and ticks.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func pass(before next: Instant) -> Bool {
    let now = MonotonicClock.now
    let limit = next - StreamTable.nearness
    if now >= limit, now < next { return false }
    // What is on its way first: a timeline message, which says what the ticks behind it belong to.
    if !advanceBroadcast(until: limit, now: now) { return false }
    if owes {
      owes = !streams.sendClock(owed, of: schedule, stamped: true, until: limit, now: now)
      return !owes
    }
    var most = 16
    while most > 0 {
      guard MonotonicClock.now < limit, let message = shared.messages.pop() else { return false }
      begin(message)
      if !advanceBroadcast(until: limit, now: now) { return false }
      most -= 1
    }
    return shared.messages.count > 0
  }

  @_noLocks @_noAllocation
  private mutating func begin(_ message: OutgoingMessage) {
    switch message {
    case .sessions(let message, let instant, let receiver):
      switch receiver {
      case .session(let session):
        let now = MonotonicClock.now
        var counts = now
        if let instant { counts = instant }
        streams.send(message, at: counts, to: session, now: now)
      case .tutti: broadcast = Broadcast(message, at: instant, isForTutti: true)
      case .foreign: broadcast = Broadcast(message, at: instant, isForTutti: false)
      }
    case .port(let message): port?.pass(message)
    case .sound(let message): handOver(.message(message, at: MonotonicClock.now))
    }
  }

  /// Goes on with what goes to everybody; whether everybody has it.
  @_noLocks @_noAllocation
  private mutating func advanceBroadcast(until limit: Instant, now: Instant) -> Bool {
    guard var index = broadcast.next else { return true }
    var count = 0
    while index < streams.count {
      if count == StreamTable.slice {
        if MonotonicClock.now >= limit {
          broadcast.next = index
          return false
        }
        count = 0
      }
      if let message = broadcast.message {
        if streams.isRecognised(index) == broadcast.isForTutti {
          var counts = now
          if let instant = broadcast.instant { counts = instant }
          streams.send(message, at: counts, on: index, now: now)
          count += 1
        }
      } else if streams.isRecognised(index) {
        streams.sendPrepared(index, at: now)
        count += 1
      }
      index += 1
    }
    broadcast.next = nil
    return true
  }

  /// Does what the control thread has asked for, as far as nothing is on its way to everybody; false when that is to
  /// quit.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func obey() -> Bool {
    while broadcast.next == nil, let command = shared.commands.pop() {
      switch command {
      case .open(let session, let address, let ssrc, let sequence, let takesClock):
        streams.open(session, to: address, ssrc: ssrc, sequence: sequence, takesClock: takesClock)
      case .recognise(let session): streams.recognise(session)
      case .stamp(let session, let isStamped):
        streams.stamp(session, isStamped)
        // Ticks that the others have had already are owed to it alone.
        if owed >= schedule.start { owes = true }
      case .journal(let session, let isSent): streams.journal(session, isSent)
      case .acknowledge(let session, let sequence): streams.acknowledge(session, sequence)
      case .close(let session): streams.close(session)
      case .subscribed(let address): port?.joined(address)
      case .unsubscribed(let address): port?.left(address)
      case .exclusive(let exclusive, let session):
        streams.prepare(exclusive)
        if let session {
          streams.sendPrepared(to: session, at: MonotonicClock.now)
        } else {
          broadcast = Broadcast(from: 0)
        }
      case .quit:
        let now = MonotonicClock.now
        stopStreams(at: now)
        port?.stop()
        while let message = shared.messages.pop() {
          begin(message)
          _ = advanceBroadcast(until: .distantFuture, now: now)
        }
        return false
      }
    }
    return true
  }
}
