import MIDI
import MusicalTime
import Realtime
import Receiving
import Sending

// The instrument of the local player.
extension NetworkLoop {
  /// How long ``round()`` may wait for input, in milliseconds, 1...100: until the next message of the instrument, of the phrase, of
  /// ``delayed`` or of a remote peer is due.
  @_noLocks @_noAllocation
  mutating func longestWait() -> Int32 {
    let (play, send) = (instrument.nextDeadline, delayed.nextDeadline)
    var next = play < send ? play : send
    if phrase.nextDeadline < next { next = phrase.nextDeadline }
    var index = 0
    while hasPagePhrases, index < PagePhrase.maximumCount {
      let deadline = pagePhrases[index].nextDeadline
      if deadline < next { next = deadline }
      index += 1
    }
    index = 0
    while hasDevices, index < AdoptedDevice.maximumCount {
      let (play, admit) = (deviceInstruments[index].nextDeadline, deviceLimits[index].nextDeadline)
      if play < next { next = play }
      if admit < next { next = admit }
      index += 1
    }
    if sensing.nextDeadline < next { next = sensing.nextDeadline }
    let timed = receiver.nextTimedDeadline
    if timed < next { next = timed }
    let now = MonotonicClock.now
    guard next < now + .milliseconds(100) else { return 100 }
    // The audio threads get the messages in advance, so a precision of one millisecond suffices.
    let wait = (next - now).count / 1_000_000
    return wait < 1 ? 1 : Int32(truncatingIfNeeded: wait)
  }

  /// Changes the instrument or the rhythm that the instrument follows. When a player without an instrument chooses one, the notes that
  /// the player holds end, because the instrument replaces the messages that would end them.
  @_noLocks @_noAllocation
  mutating func adopt(_ settings: InstrumentSettings) {
    let wasActive = instrument.isActive
    receiver.follow(settings.schedule)
    receiver.soundLead = settings.soundLead
    instrument.adopt(settings, at: MonotonicClock.now)
    phrase.adopt(settings.phrase, number: settings.phraseNumber, settings, at: MonotonicClock.now)
    var index = 0
    while index < PagePhrase.maximumCount {
      if case .some = settings.pagePhrases[index].table { hasPagePhrases = true }
      index += 1
    }
    index = 0
    while hasPagePhrases, index < PagePhrase.maximumCount {
      let page = settings.pagePhrases[index]
      pageChannels[index] = page.channel
      pagePhrases[index].adopt(page.table, number: page.number, settings, at: MonotonicClock.now)
      index += 1
    }
    adoptDevices(settings, at: MonotonicClock.now)
    guard instrument.isActive, !wasActive else { return }
    var number: UInt8 = 0
    while number < 16 {
      // The sustain pedal is released, and all notes end.
      play(unchanged: .controlChange(Channel(wire: number), controller: 64, value: 0))
      play(unchanged: .controlChange(Channel(wire: number), controller: 123, value: 0))
      number += 1
    }
  }

  /// Plays a message of the local player without the instrument.
  @_noLocks @_noAllocation
  mutating func play(unchanged message: Message) {
    receiver.execute(.play(message))
    while let output = receiver.next() { perform(output) }
  }

  /// Sends all delayed messages now.
  @_noLocks @_noAllocation
  mutating func sendDelayed() { while let message = delayed.take(at: .distantFuture) { send(message) } }

  /// Passes a message of the local player to the instrument, unless the message shapes the instrument of another player. Returns whether
  /// the instrument replaces the message.
  @_noLocks @_noAllocation
  mutating func isForInstrument(_ message: Message, at now: Instant) -> Bool {
    guard !receiver.shapesOtherInstrument(message), instrument.receive(message, at: now) else { return false }
    if message.startsNote {
      // The activity of the player counts the notes that the player strikes, not those of the instrument.
      pass(.struck)
      rings.bell.ring()
    }
    return true
  }

  /// Reports to the control thread, for the trace, that the local player has begun a note. `instant` is the instant of the action
  /// itself, before any quantization.
  @_noLocks @_noAllocation
  func reportAction(_ message: Message, at instant: Instant) {
    guard case .noteOn(_, _, let velocity) = message, velocity.value > 0 else { return }
    rings.events.push(.action(at: instant, force: velocity.value))
    rings.bell.ring()
  }

  /// Plays the messages of the instrument and of the phrase, and sends the messages of ``delayed`` that are due.
  @_noLocks @_noAllocation
  mutating func playInstrument() {
    let now = MonotonicClock.now
    // At most 256 messages per round, so that an instrument does not delay other work. Further messages follow in the next round.
    var remaining = 256
    while remaining > 0 {
      remaining -= 1
      var (next, isPhrase) = (instrument.next(at: now), false)
      if case .none = next { (next, isPhrase) = (phrase.next(at: now), true) }
      guard let output = next else {
        guard playPageOrDevice(at: now) else { break }
        continue
      }
      receiver.execute(.play(output.message))
      while let result = receiver.next() {
        switch result {
        case .send(let message): send(message, of: output)
        case .reception(.played(let message, let channel, _)):
          let origin = isPhrase ? MessageOrigin.phrase : .instrument(at: output.instant ?? now)
          pass(.played(message, soundedOn: channel, from: origin))
        case .sound, .hear, .record, .pitch, .localPitch, .shape, .reception: perform(result, at: output.instant)
        }
      }
      rings.bell.ring()
    }
    while let message = delayed.take(at: now) { send(message) }
  }

  /// Plays the next message of the phrases of pages, or of the instruments of devices. Returns false if there is none.
  @_noLocks @_noAllocation
  private mutating func playPageOrDevice(at now: Instant) -> Bool {
    var index = 0
    while hasPagePhrases, index < PagePhrase.maximumCount {
      if let output = pagePhrases[index].next(at: now) {
        play(output, on: Channel(wire: pageChannels[index]), at: now)
        return true
      }
      index += 1
    }
    index = 0
    while hasDevices, index < AdoptedDevice.maximumCount {
      if let output = deviceInstruments[index].next(at: now) {
        play(output, on: Channel(wire: devices[index].channel), at: now)
        return true
      }
      index += 1
    }
    return false
  }

  /// Plays an event of a page or a device on its channel.
  @_noLocks @_noAllocation
  private mutating func play(_ output: EventPlayer.Output, on channel: Channel, at now: Instant) {
    receiver.execute(.playForPage(output.message.on(channel)))
    while let result = receiver.next() {
      if case .send(let message) = result { send(message, of: output) } else { perform(result, at: output.instant) }
    }
    rings.bell.ring()
  }

  /// Sends a message of the instrument or of the phrase. Tutti peers get the message in advance, with the instant at which it takes effect.
  /// Standard devices, which do not know the local clock, get it at this instant.
  @_noLocks @_noAllocation
  private mutating func send(_ message: StreamMessage, of output: EventPlayer.Output) {
    if case .tuttiPeers = message.receiver {
      guard case .at(let instant) = output.remote else { return }
      var message = message
      message.instant = instant
      if instant > lastTimed { lastTimed = instant }
      return send(message)
    }
    guard let instant = output.instant else { return send(message) }
    // If ``delayed`` is full, all messages are sent early, because their order must not change.
    if !delayed.insert(message, at: instant) {
      sendDelayed()
      send(message)
    }
  }

  /// Sends All Notes Off to the Tutti peers if they have received messages in advance that have not taken effect yet.
  @_noLocks @_noAllocation
  mutating func endTimedNotes() {
    instrument.forgetRemoteNotes()
    guard lastTimed > MonotonicClock.now, let channel = receiver.localChannel else { return }
    send(StreamMessage(.controlChange(channel, controller: 123, value: 0), at: nil, to: .tuttiPeers))
  }

  /// Plays the messages of remote peers that are due (``Receiver/nextTimed(at:)``), including those for the local instrument
  /// (``act(on:)``, ``shape()``).
  @_noLocks @_noAllocation
  mutating func playTimed() {
    let now = MonotonicClock.now
    while let output = receiver.nextTimed(at: now) {
      act(on: output)
      perform(output, at: receiver.instant)
      rings.bell.ring()
    }
    shape()
  }

  /// Passes a message to the clock thread, which sends it to the peers.
  @_noLocks @_noAllocation
  func send(_ message: StreamMessage) {
    rings.clock.playerMessages.push(message)
    rings.clock.bell.ring()
  }
}
