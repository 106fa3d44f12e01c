public import MIDI
import MusicalTime
import Realtime

// The messages of the players: notes, controllers and so on.
extension Renderer {
  /// Plays the waiting messages and adds their sound to the frames `frame..<end`.
  ///
  /// A message takes effect at the first frame on which it can still sound (``FrameMap``). Messages keep their order,
  /// independently of the hits.
  ///
  /// On a sound card, this frame is the first frame of the next rendered block. The delay after the submission is the time
  /// until this block is rendered, plus the frames that the device holds then.
  ///
  /// On the ``NominalDevice``, this frame is the first frame of the period that the device requests next after the submission.
  /// The frame of a message in a recording therefore does not depend on how late this thread is. The delay after the submission
  /// is less than two periods (10.7 ms at 48 kHz).
  ///
  /// A timed message (``SoundEvent/isTimed``) waits for the frame nearest to its instant.
  ///
  /// In a recording, a Note On more than a second late is dropped, because its musical context has passed. Every other message is
  /// played however late it is: controllers and programs have a lasting effect, and every note must end. On a sound card, the first
  /// possible frame is never before `frame`, so no Note On is dropped here (see ``dropNotes()``).
  @_noLocks @_noAllocation
  mutating func playMessages(
    from frame: Int64, to end: Int64, left: inout MutableSpan<Float>, right: inout MutableSpan<Float>
  ) {
    var position = frame
    while let (event, earliest) = nextMessage(notBefore: frame), case .message(let message) = event.kind {
      guard earliest < end else { break }
      if earliest > position {
        module?.channels.mix(into: &left, &right, from: Int(position &- frame), to: Int(earliest &- frame))
        position = earliest
      }
      if message.startsNote, frame &- earliest > rate {
        counters.droppedNotes += 1
      } else if module?.channels.play(message) == false {
        // The next block, of 64 frames, accepts no more messages. The message is tried again 64 frames later, when that block has
        // begun.
        let remaining = end &- position
        let next = remaining < 64 ? end : position &+ 64
        module?.channels.mix(into: &left, &right, from: Int(position &- frame), to: Int(next &- frame))
        position = next
        if position == end { return }
        continue
      } else {
        counters.messages += 1
      }
      if event.isTimed { timedMessages.popFirst() } else { messages.popFirst() }
    }
    module?.channels.mix(into: &left, &right, from: Int(position &- frame), to: Int(end &- frame))
  }

  /// Returns the next message of both queues, and the frame on which it takes effect. The next message is the one with the earlier
  /// frame. If both have the same frame, the next message is the one that was submitted first.
  @_noLocks @_noAllocation
  private func nextMessage(notBefore frame: Int64) -> (event: SoundEvent, frame: Int64)? {
    var next: (event: SoundEvent, frame: Int64)?
    if let event = messages.first { next = (event, map.firstFrame(for: event, notBefore: frame)) }
    guard let event = timedMessages.first else { return next }
    let (due, earliest) = (map.frame(nearest: event.instant), map.firstFrame(for: event, notBefore: frame))
    let start = due > earliest ? due : earliest
    guard let other = next else { return (event, start) }
    let isFirst = start == other.frame ? event.submitted < other.event.submitted : start < other.frame
    return isFirst ? (event, start) : other
  }

  /// Plays `message` with the next rendered block, ahead of all waiting messages.
  ///
  /// - Returns: false, without an effect, if this block accepts no more messages. True without a ``SoundModule``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message) -> Bool {
    guard module?.channels.play(message) != false else { return false }
    counters.messages += 1
    return true
  }

  /// Takes all events from `events` and adds them. The events of the rhythm and timed messages take effect earlier by `latency`. If it
  /// differs from that of the last call, the waiting events of the rhythm move, too. If messages were dropped since the last call, all
  /// notes end.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func drain(_ events: SoundEvents, latency: Nanoseconds) {
    if latency.count != self.latency.count {
      moveHits(by: self.latency - latency)
      self.latency = latency
    }
    while var event = events.hits.pop() {
      event.move(by: -latency)
      add(event)
    }
    while var event = events.messages.pop() {
      // The instant stays later than the submission, so that the message remains timed.
      if event.isTimed {
        let (due, earliest) = (event.instant - latency, event.submitted + Nanoseconds(1))
        event.instant = due > earliest ? due : earliest
      }
      add(event)
    }
    let dropped = events.messages.dropped
    if dropped != droppedMessages { handleMessageLoss() }
    droppedMessages = dropped
  }

  /// Ends all notes and removes all waiting messages, because a Note Off may be among the lost messages.
  @_noLocks @_noAllocation
  mutating func handleMessageLoss() {
    counters.droppedNotes += 1
    messages.removeAll(from: Instant(nanoseconds: .min))
    timedMessages.removeAll(from: Instant(nanoseconds: .min))
    module?.channels.silence()
  }

  /// Plays all waiting messages, but drops every Note On, because there is no device to play it on.
  @_noLocks @_noAllocation
  mutating func dropNotes() {
    while let event = messages.first ?? timedMessages.first, case .message(let message) = event.kind {
      if message.startsNote {
        counters.droppedNotes += 1
      } else if module?.channels.play(message) == false {
        // The next block accepts no more messages. No device plays this block, so it is discarded. Then the same message is
        // tried again.
        module?.channels.discardBlock()
        continue
      }
      if event.isTimed { timedMessages.popFirst() } else { messages.popFirst() }
    }
  }
}
