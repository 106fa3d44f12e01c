import Audio
import BasicContainers
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Receiving
import Sending
import Transports

/// The work of the network thread: receives datagrams and ALSA events with the kernel's time stamps, answers clock probes
/// and CK0 immediately, decodes RTP packets, plays the messages of local programs, and passes everything on to the control thread.
struct NetworkLoop: ~Copyable {
  let ports: PortPair
  let sequencer: Sequencer?
  let rings: NetworkRings
  var receiver: Receiver
  /// Limits the datagrams of sources without a session.
  private var filter = StrangerFilter(key: .random(in: .min ... .max))
  /// Limits the processor time of the thread.
  private var budget = ProcessorBudget()
  private var counters = NetworkCounters()
  /// The largest number of datagrams or events that one call of ``round()`` takes from one port. The number is small, because the thread
  /// can pause only between two calls (``ProcessorBudget``).
  private static var maximumPerPort: Int { @_noLocks @_noAllocation get { 16 } }
  /// If ``NetworkRings/events`` contains at least this number of events, the control thread is woken in any case.
  private static var wakeThreshold: Int { @_noLocks @_noAllocation get { 256 } }

  /// Until this instant, the ALSA ports are not read, because a program floods them.
  private var sequencerResumes = Instant(nanoseconds: 0)
  /// The instrument of the local player.
  var instrument = InstrumentDriver(at: MonotonicClock.now)
  /// Repeats a phrase on the channel of the local player.
  var phrase = PhraseDriver()
  /// Repeat the phrases of pages, and their zero-based channels. Arrays on the heap, because the stack of a real-time thread is small.
  var pagePhrases = RigidArray<PhraseDriver>(capacity: PagePhrase.maximumCount)
  var pageChannels = InlineArray<8, UInt8>(repeating: 15)
  /// Whether a page has repeated a phrase, and whether a device was adopted, since the start. If not, the loops over the drivers, which are
  /// large, are skipped.
  var hasPagePhrases = false
  var hasDevices = false
  /// The messages of the instrument and of the phrase for standard devices. They are sent at their instants, although the audio threads get
  /// them in advance.
  var delayed = DelayedMessages()
  /// The latest instant of all messages of the instrument that were sent to Tutti peers in advance.
  var lastTimed = Instant(nanoseconds: 0)
  private var probes: ProbeSender
  /// The controllers with which a remote player changes the sound of the local instrument. They are collected while a packet is
  /// decoded, and ``shape()`` plays them afterwards. A packet has at most 1500 octets, so it has fewer messages.
  private var shapes = RigidArray<Message>(capacity: 1024)
  /// The adopted devices, and their instruments.
  var devices = InlineArray<4, AdoptedDevice>(repeating: AdoptedDevice())
  var deviceInstruments = RigidArray<InstrumentDriver>(capacity: AdoptedDevice.maximumCount)
  /// The ALSA ports that send Active Sensing.
  var sensing = ActiveSensing()
  /// Limit the messages of the adopted devices at ALSA ports. Those of sessions are limited by the receiver.
  var deviceLimits = RigidArray<InputLimit>(capacity: AdoptedDevice.maximumCount)
  /// The messages of devices, which are collected like ``shapes``.
  var deviceMessages = RigidArray<DeviceMessage>(capacity: 1024)
  /// The received datagram.
  private var datagram = Datagram()
  /// The decoded header of ``datagram``.
  private var header = DatagramHeader()
  /// The reply to a clock packet.
  private var reply = RigidArray<UInt8>(capacity: ClockPacket.length + DatagramSealer.length)

  init(ports: PortPair, sequencer: Sequencer?, identity: UInt64, hasPasskey: Bool = false, rings: NetworkRings) {
    self.ports = ports
    self.sequencer = sequencer
    self.rings = rings
    receiver = Receiver(identity: identity, hasPasskey: hasPasskey)
    receiver.add(SessionBlock())
    while pagePhrases.count < pagePhrases.capacity { pagePhrases.append(PhraseDriver()) }
    while deviceLimits.count < deviceLimits.capacity { deviceLimits.append(InputLimit()) }
    while deviceInstruments.count < deviceInstruments.capacity {
      deviceInstruments.append(InstrumentDriver(at: MonotonicClock.now))
    }
    probes = ProbeSender(socket: ports.data)
  }

  /// Waits for input for at most 100 ms. Then handles the datagrams and ALSA events that have arrived, and passes events on to the control
  /// thread.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func round() {
    // A program that floods the ALSA ports would wake this thread for every event and use up its processor time. Therefore, after
    // a message was refused, the ports are not read for a millisecond, and then all their events are read together.
    let readsSequencer = MonotonicClock.now >= sequencerResumes
    let readable = ports.wait(
      and: readsSequencer ? sequencer : nil, rings.signal, milliseconds: readsSequencer ? longestWait() : 1)
    if let settings = rings.instrument.take() { adopt(settings) }
    executeCommands()
    // Many followers send thousands of probes per second. A probe that was answered here only shows the control thread that the peer is
    // alive, so it need not wake the control thread. It stays in the ring until the control thread wakes for another reason (after at most
    // 100 ms), or until many events wait.
    var wakesControl = false
    // A limit for each port, so that a flood on one port does not block the other ports. The local player goes first.
    var remaining = Self.maximumPerPort
    if readable.sequencer, let sequencer {
      let refused = receiver.refused
      while remaining > 0, let arrival = sequencer.receive() {
        remaining -= 1
        if receive(arrival) { wakesControl = true }
        // If no arrival is buffered, another call would be a system call that usually finds nothing.
        if !sequencer.hasBuffered {
          if receiver.refused > refused { sequencerResumes = MonotonicClock.now + .milliseconds(1) }
          break
        }
      }
    }
    remaining = Self.maximumPerPort
    while readable.data, remaining > 0, ports.receive(on: .data, into: &datagram) {
      remaining -= 1
      guard isAdmitted() else { continue }
      if receiveData() { wakesControl = true }
    }
    remaining = Self.maximumPerPort
    while readable.control, remaining > 0, ports.receive(on: .control, into: &datagram) {
      remaining -= 1
      guard isAdmitted() else { continue }
      wakesControl = true
      pass()
    }
    playInstrument()
    playTimed()
    playLimited()
    endNotesOfFailedPorts()
    counters.refused = receiver.refused
    var index = 0
    while index < AdoptedDevice.maximumCount {
      counters.refused += deviceLimits[index].refused
      index += 1
    }
    rings.counters.publish(counters)
    if rings.events.count >= Self.wakeThreshold { wakesControl = true }
    if wakesControl { rings.bell.ring() }
  }

  /// Pauses if the thread has used its share of the processor. Called after each ``round()``. Datagrams that arrive during the
  /// pause wait in the receive buffers. The kernel drops those that do not fit.
  ///
  /// Real-time: safe (it waits by design).
  @_noLocks @_noAllocation
  mutating func pause() {
    guard let end = budget.pauseEnd(used: ThreadClock.used, at: MonotonicClock.now) else { return }
    counters.pauses += 1
    MonotonicClock.sleep(until: end)
  }

  /// Decides whether ``datagram`` is processed, and decodes ``header``.
  ///
  /// - A datagram with an invalid tag, or without a necessary tag, is dropped.
  /// - A datagram with a valid tag, or of a session without a passkey, is processed.
  /// - For all other datagrams, the filter decides. These are the datagrams of sources without a session, and those that can begin a
  ///   new session (``DatagramAuthenticity/beginning``).
  @_noLocks @_noAllocation
  private mutating func isAdmitted() -> Bool {
    readHeader()
    switch authenticity() {
    case .beginning: break
    case .unprotected: if receiver.knows(header.ssrc, onHostOf: datagram.from) { return true }
    case .authentic(let count):
      datagram.removeTag(contentCount: count)
      return true
    case .refused:
      counters.notAuthentic += 1
      return false
    }
    if filter.admits(header, from: datagram.from, at: datagram.at) { return true }
    counters.limited += 1
    return false
  }

  /// Executes the commands of the control thread. A command can begin a session. Packets of this session that arrived before the command
  /// are then decoded.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func executeCommands() {
    while let next = rings.commands.pop() {
      if let block = rings.memory.take() { receiver.add(block) }
      let command: ReceivingCommand
      switch next {
      case .receiving(let received): command = received
      case .tilt(let change):
        let sum = Int(instrument.tilt) &+ change
        let value = UInt7(masking: UInt8(truncatingIfNeeded: sum < 0 ? 0 : sum > 127 ? 127 : sum))
        command = .play(.controlChange(localChannel, controller: 1, value: value))
      }
      if case .play(let message) = command {
        let now = MonotonicClock.now
        reportAction(message, at: now)
        if isForInstrument(message, at: now) { continue }
      }
      switch command {
      case .releaseNotes:
        instrument.stop()
        phrase.stop()
        var index = 0
        while index < PagePhrase.maximumCount {
          pagePhrases[index].stop()
          index += 1
        }
        delayed.removeBeginnings()
        sendDelayed()
        endTimedNotes()
      case .mute(true):
        delayed.removeBeginnings()
        sendDelayed()
        endTimedNotes()
        // Notes that were passed to the sound in advance begin within the lead from now on. All Notes Off at the end of the lead ends them.
        sound(.controlChange(localChannel, controller: 123, value: 0), due: MonotonicClock.now + instrument.events.lead)
      // A remote peer was recognised as a Tutti peer. Until now, it got the messages of a standard device. The delayed messages contain
      // the ends of notes that it has received.
      case .endNotesAsPlayed: sendDelayed()
      case .open, .admit, .clock, .sound, .close, .endNotes, .play, .playForPage, .pitchChannels, .soundForPlayer,
        .route, .localChannel, .mute(false),
        .limitProbes:
        break
      }
      receiver.execute(command)
      while let output = receiver.next() {
        act(on: output)
        perform(output, at: receiver.instant)
        rings.bell.ring()
      }
      playDeviceMessages()
      while let packet = receiver.takeEarlyPacket(at: MonotonicClock.now) {
        decode(packet)
        shape()
        rings.bell.ring()
      }
    }
  }

  /// The channel of the local player. Without a channel of its own, the peer plays on channel 16 (zero-based 15).
  private var localChannel: Channel { @_noLocks @_noAllocation get { receiver.localChannel ?? Channel(wire: 15) } }

  /// Plays a message that a local program has sent to the ALSA port.
  ///
  /// - Returns: whether the message was played. It is not played if the program sends too many messages (``InputLimit``). A Note On is not
  ///   played either if the player is muted or has left.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func play(_ message: Message, from program: ProgramID, at arrival: Instant) -> Bool {
    let hasInstrument = instrument.isActive
    // The receiver does not know the keys that strike the instrument, so their ends are always admitted here.
    let endsKey = hasInstrument && message.silencesNote
    guard endsKey || receiver.admits(message, from: program, at: arrival) else { return false }
    if hasInstrument, isForInstrument(message, at: arrival) {
      reportAction(message, at: arrival)
      return true
    }
    receiver.play(message, from: program)
    var isPlayed = false
    while let output = receiver.next() {
      perform(output)
      isPlayed = true
    }
    // Refused messages are not reported, so that a flood does not fill the ring.
    guard isPlayed else { return false }
    reportAction(message, at: arrival)
    // The driver follows the controls without an instrument, too.
    if !hasInstrument { _ = isForInstrument(message, at: arrival) }
    return true
  }

  /// Ends the notes that local programs hold.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  mutating func releaseNotes(of selection: ProgramID.Selection) {
    receiver.releaseNotes(of: selection)
    while let output = receiver.next() { perform(output) }
  }

  /// Performs an output of the receiver: passes a message to the audio threads or to the clock thread, or a reception to the
  /// control thread.
  ///
  /// - Parameter instant: when a message sounds. If it is nil or has passed, the message sounds at once.
  @_noLocks @_noAllocation
  func perform(_ output: Receiver.Output, at instant: Instant? = nil) {
    switch output {
    case .reception(let reception): pass(reception)
    case .send(let message): send(message)
    case .sound(let message, let session):
      // ``act(on:)`` has collected the message of a device that is a player.
      if let session, case .some = device(of: session) { return }
      sound(message, due: instant)
      record(message, from: session, due: instant)
    case .hear(let message, _): sound(message, due: instant)
    case .record(let message, let session): record(message, from: session, due: instant)
    // ``act(on:)`` and ``shape()`` perform these outputs.
    case .pitch, .localPitch, .shape: break
    }
  }

  /// Performs an output that concerns the instrument of the local player. Controllers are only collected in ``shapes``, because a
  /// packet may be in the process of being decoded.
  @_noLocks @_noAllocation
  mutating func act(on output: Receiver.Output) {
    switch output {
    case .pitch(let message, _), .localPitch(let message): instrument.setPitch(message)
    case .shape(let message, _): if shapes.count < shapes.capacity { shapes.append(message) }
    case .sound(let message, let session?): collect(message, from: session)
    case .sound, .hear, .record, .send, .reception: break
    }
  }

  /// Collects a message of a session whose device is a player.
  @_noLocks @_noAllocation
  private mutating func collect(_ message: Message, from session: SessionID) {
    guard let index = device(of: session), deviceMessages.count < deviceMessages.capacity else { return }
    deviceMessages.append(DeviceMessage(index, message))
  }

  /// Plays and removes the controllers of ``shapes``, and the messages of devices.
  @_noLocks @_noAllocation
  mutating func shape() {
    var index = 0
    while index < shapes.count {
      let message = shapes[index]
      index += 1
      if !isForInstrument(message, at: MonotonicClock.now) { play(unchanged: message) }
    }
    shapes.removeAll()
    playDeviceMessages()
  }

  /// Passes a message to the audio threads.
  @_noLocks @_noAllocation
  private func sound(_ message: Message, due: Instant?) {
    let event = SoundEvent.message(message.onAudibleChannel, at: MonotonicClock.now, due: due)
    rings.clock.sound.first.messages.push(event)
    if rings.hasSecondAudioThread { rings.clock.sound.recording.messages.push(event) }
  }

  /// Passes a message to the MIDI recording, if there is one.
  @_noLocks @_noAllocation
  private func record(_ message: Message, from session: SessionID?, due: Instant?) {
    guard let recording = rings.clock.recording else { return }
    let event = SoundEvent.message(message.onAudibleChannel, at: MonotonicClock.now, due: due)
    recording.messages.push(
      SoundedMessage(message.onAudibleChannel, from: session, at: event.instant, isTimed: event.isTimed))
  }

  /// Handles ``datagram``, which has arrived at the data port.
  ///
  /// - Returns: whether the control thread must be woken for this datagram.
  @_noLocks @_noAllocation
  private mutating func receiveData() -> Bool {
    guard isControl() else {
      decode()
      shape()
      return true
    }
    var wakesControl = true
    let now = MonotonicClock.now
    if let answer = clockReply(sentAt: now) {
      datagram.answeredAt = send(answer, now)
      // A datagram that was answered here need not wake the control thread, unless it is the reply to a probe of the local peer.
      if case .some = datagram.answeredAt { wakesControl = answer.acknowledgesReply }
    }
    pass()
    return wakesControl
  }

  /// Passes ``datagram`` to the control thread.
  @_noLocks @_noAllocation
  private mutating func pass() {
    // Each datagram needs an event. If the ring of events is full, only the event is pushed: the push fails and counts the loss.
    if rings.events.count < rings.events.capacity, !rings.datagrams.push(ControlDatagram(datagram)) { return }
    rings.events.push(.datagram)
  }

  /// Passes a reception to the control thread.
  @_noLocks @_noAllocation
  func pass(_ reception: Reception) {
    // The data of a System Exclusive goes through a ring of its own. As for a datagram, only the event is pushed if the ring of events is
    // full: see `pass()`.
    if case .systemExclusive = reception, rings.events.count < rings.events.capacity,
      !rings.exclusives.push(receiver.systemExclusive)
    {
      return
    }
    rings.events.push(.reception(reception))
  }

  /// Sends the answer to ``datagram``, from the address to which the datagram was sent.
  ///
  /// - Parameter now: the send instant in a clock packet. A probe gets its send instant from the probe sender.
  /// - Returns: the instant at which the answer left; nil if it could not be sent.
  @_noLocks @_noAllocation
  private mutating func send(_ answer: ClockReply, _ now: Instant) -> Instant? {
    switch answer {
    case .probe(let probe):
      var sealer = receiver[sealerFor: header.ssrc, onHostOf: datagram.from]
      let sent = probes.send(probe, to: datagram.from, from: datagram.to, sealedBy: &sealer)
      receiver[sealerFor: header.ssrc, onHostOf: datagram.from] = sealer
      return sent
    case .clockPacket(let packet):
      reply.removeAll()
      guard packet.append(to: &reply) else { return nil }
      if case .some(var sealer) = receiver[sealerFor: header.ssrc, onHostOf: datagram.from] {
        sealer.seal(&reply, port: .data, at: now)
        receiver[sealerFor: header.ssrc, onHostOf: datagram.from] = sealer
      }
      return ports.data.send(reply, to: datagram.from, from: datagram.to) ? now : nil
    }
  }

  // MARK: Access to octets

  // The real-time checks of the compiler mistake the end of a span's lifetime for a deallocation. The following functions are
  // therefore excluded from the checks. They pass a span only to functions that are checked, and to rings.

  /// Reads the header of ``datagram``.
  @_semantics("no_performance_analysis")
  private mutating func readHeader() {
    header = DatagramHeader(datagram.octets.span.extracting(first: datagram.count))
  }

  /// Checks the tag of ``datagram``.
  @_semantics("no_performance_analysis")
  private mutating func authenticity() -> DatagramAuthenticity {
    let port: Port = if case .control = datagram.port { .control } else { .data }
    return receiver.authenticate(
      datagram.octets.span.extracting(first: datagram.count), header, from: datagram.from, port: port)
  }

  /// Whether ``datagram`` is a control packet, not an RTP packet.
  @_semantics("no_performance_analysis")
  private func isControl() -> Bool { ControlPacket.isControl(datagram.octets.span.extracting(first: datagram.count)) }

  /// The reply to ``datagram``, if it is a request for the clock.
  @_semantics("no_performance_analysis")
  private mutating func clockReply(sentAt now: Instant) -> ClockReply? {
    receiver.reply(
      to: datagram.octets.span.extracting(first: datagram.count), from: datagram.from, at: datagram.at, sentAt: now)
  }

  /// Decodes the RTP packet in ``datagram``.
  @_semantics("no_performance_analysis")
  private mutating func decode() {
    let octets = datagram.octets.span.extracting(first: datagram.count)
    pass(receiver.receive(octets, from: datagram.from, at: datagram.at))
    while let output = receiver.next(in: octets) {
      // The same as `act(on:)`, which cannot be called here: it would need exclusive access to the loop while `octets` borrows the
      // datagram.
      switch output {
      case .pitch(let message, _): instrument.setPitch(message)
      case .shape(let message, _): if shapes.count < shapes.capacity { shapes.append(message) }
      case .sound(let message, let session?):
        if let index = device(of: session), deviceMessages.count < deviceMessages.capacity {
          deviceMessages.append(DeviceMessage(index, message))
        }
      case .sound, .hear, .record, .send, .reception, .localPitch: break
      }
      perform(output, at: receiver.instant)
    }
  }

  /// Decodes a packet that arrived before its session began.
  @_semantics("no_performance_analysis")
  private mutating func decode(_ packet: EarlyPacket) {
    let octets = packet.octets.span.extracting(first: packet.count)
    pass(receiver.receive(octets, from: packet.source, at: packet.arrival))
    while let output = receiver.next(in: octets) {
      act(on: output)
      perform(output, at: receiver.instant)
    }
  }
}

extension Message {
  /// The message on the channel on which it sounds. Between Tutti peers, channel 1 (zero-based 0) carries activity only and is silent,
  /// but a standard device may play notes on it. They sound on channel 16 (zero-based 15), like the notes of a peer without a channel.
  fileprivate var onAudibleChannel: Message {
    @_noLocks @_noAllocation get {
      guard let channel, channel.wire == 0 else { return self }
      return on(Channel(wire: 15))
    }
  }
}
