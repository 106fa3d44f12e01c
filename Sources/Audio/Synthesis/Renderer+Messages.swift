import MIDI
import MusicalTime
import Realtime

// What players play, as it sounds.
extension Renderer {
  /// Adds what is played to the period from `frame` to before `end`.
  ///
  /// A message counts from the first frame that can still be had (``FrameMap``): on a card the first of the period that is
  /// rendered next, on the steady card the first of that which is taken next, so it is in the recording at the same frame
  /// however late this thread came. That is less than two periods after it was handed over, 10.7 ms at 48 kHz, and on a
  /// card what the device holds. Each counts after those before it, whatever hits lie between.
  ///
  /// Who was away for longer than a second finds notes that belong to nothing any more: they are dropped. Everything else
  /// counts however late, as controllers and programs last, and a note has to end.
  @_noLocks @_noAllocation
  mutating func play(
    from frame: Int64, to end: Int64, left: inout MutableSpan<Float>, right: inout MutableSpan<Float>
  ) {
    var position = frame
    while let event = messages.first, case .message(let message) = event.kind {
      let possible = map.firstFrame(for: event, notBefore: frame)
      guard possible < end else { break }
      if possible > position {
        module?.channels.add(to: &left, &right, from: Int(position &- frame), to: Int(possible &- frame))
        position = possible
      }
      if message.startsNote, frame &- possible > rate {
        counters.droppedNotes += 1
      } else if module?.channels.play(message) == false {
        // The block takes no more: after the next one.
        let rest = end &- position
        let next = rest < 64 ? end : position &+ 64
        module?.channels.add(to: &left, &right, from: Int(position &- frame), to: Int(next &- frame))
        position = next
        if position == end { return }
        continue
      } else {
        counters.messages += 1
      }
      messages.popFirst()
    }
    module?.channels.add(to: &left, &right, from: Int(position &- frame), to: Int(end &- frame))
  }

  /// Takes in all events of `ring`; hits are to sound `latency` earlier than they say.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func take(_ ring: SPSCRing<SoundEvent>, earlier latency: Nanoseconds) {
    while var event = ring.pop() {
      if case .message = event.kind {} else { event.instant = event.instant - latency }
      add(event)
    }
    let lost = ring.dropped
    if lost != lostInRing { loseMessages() }
    lostInRing = lost
  }

  /// Among messages lost there may be a Note Off: all notes end, and what waits is given up.
  @_noLocks @_noAllocation
  mutating func loseMessages() {
    counters.droppedNotes += 1
    messages.removeAll(from: Instant(nanoseconds: .min))
    module?.channels.silence()
  }

  /// Obeys the messages that wait but for notes on, which are dropped.
  @_noLocks @_noAllocation
  mutating func dropNotes() {
    while let event = messages.first, case .message(let message) = event.kind {
      if message.startsNote {
        counters.droppedNotes += 1
      } else if module?.channels.play(message) == false {
        module?.channels.passBlock()
        continue
      }
      messages.popFirst()
    }
  }
}

extension Message {
  /// A Note On of a velocity other than 0.
  fileprivate var startsNote: Bool {
    @_noLocks @_noAllocation get {
      if case .noteOn(_, _, let velocity) = self { velocity.value > 0 } else { false }
    }
  }
}
