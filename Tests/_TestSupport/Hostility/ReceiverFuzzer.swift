import MIDI
import MusicalTime
import PeerProtocol
internal import RTPMIDI
internal import Receiving
import Simulation

/// A fuzzer of a ``Receiver`` with up to four sessions, which receive ``HostilePackets``. Meanwhile, sessions begin and end,
/// gates change, and hosts without a session send packets.
///
/// After each input, the following invariants are checked:
/// - The number of outputs is bounded.
/// - A message is admitted only while its session is open and the gate for this kind of message is open. Exceptions are the end
///   of an admitted note, and Reset All Controllers. This fuzzer sends Reset All Controllers by the command `sound`, for which the receiver
///   does not check the gates.
/// - A note sounds only if the player hears its peer, and if the notes of the peer do not set the pitches of the local instrument
///   instead (``Admission/pitchChannels``).
/// - No note of a session sounds after the session has ended.
/// - No note of a peer sounds after the player has chosen not to hear this peer.
public final class ReceiverFuzzer: Fuzzer {
  private static let slots = 4
  private static let localChannel = Channel(wire: 4)
  /// An upper bound of the number of outputs of one packet. Each event of a ``PacketReceiver`` causes at most four outputs: the pitch for
  /// the instrument, the sound, the recording, and the copy for the control thread. For the number of events, see ``PacketFuzzer``.
  private static let maximumOutputs = 4 * (EventLimits.journal + 4000)

  private var packets: HostilePackets
  private var receiver = Receiver(identity: 1)
  /// The number of the open session in each slot of the receiver; nil if the slot is free.
  private var sessions: [UInt64?] = Array(repeating: nil, count: slots)
  /// The open gates of the peer in each slot, and how loud the notes of this peer sound.
  private var admissions = Array(repeating: Admission(), count: slots)
  /// The notes that were admitted, by session.
  private var held: [UInt64: HeldNotes] = [:]
  /// The notes that sound, by session.
  private var heard: [UInt64: HeldNotes] = [:]
  private var lastSession: UInt64 = 0
  private var random: SplitMix
  private var now = Instant(nanoseconds: 1_000_000_000)
  private let seed: UInt64
  /// The number of inputs, the number of admitted messages, the sum of the packets and their outputs, and the number of replies to clock
  /// requests.
  private var (inputs, admitted, packetsAndOutputs, replies) = (0, 0, 0, 0)

  /// A fuzzer that derives its packets from `count` valid packets.
  public init(seed: UInt64, count: Int = 8192) {
    self.seed = seed
    random = SplitMix(seed: seed &+ 7)
    packets = HostilePackets(seed: seed, count: count)
    receiver.add(SessionBlock())
    receiver.execute(.localChannel(Self.localChannel))
  }

  public var account: String {
    "sessions \(lastSession), messages admitted \(admitted), refused \(receiver.refused), "
      + "packets and their outputs \(packetsAndOutputs), replies \(replies)"
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try step()
      inputs += 1
      now = now + .microseconds(Int64(pick(1000)))
    }
  }

  /// Returns a random number in 0..<count.
  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// The source address of the packets of a slot. The numbers from ``slots`` on are strangers: hosts without a session.
  private func address(_ slot: Int) -> SocketAddress { SocketAddress(host: UInt32(slot), port: 5005) }

  /// Feeds one input: a packet, a clock request or a command.
  private func step() throws(FuzzFailure) {
    // The messages that the receiver has held back until they are due.
    while let output = receiver.nextTimed(at: now) { try record(output) }
    let slot = pick(Self.slots)
    // The ranges give the frequency of each input in thousandths.
    switch pick(1000) {
    case 0..<900: try receive(packets.next(), from: address(slot))
    case 900..<940: try receive(packets.next(), from: address(Self.slots + pick(1000)))
    case 940..<980: ask(packets.next(), from: address(slot))
    case 980..<984: try open(slot)
    case 984..<987: try execute(.close(slot: slot, SessionID(number: sessions[slot] ?? 0)))
    case 987..<995: try admit(slot)
    case 995..<997:
      // Sets the offset of the remote clock. The time stamps of the hostile packets are then near the present or far from it.
      let offset = Nanoseconds(
        pick(2) == 0 ? Int64(pick(10_000_000_000)) : Int64.random(in: .min ... .max, using: &random))
      try execute(.clock(slot: slot, SessionID(number: sessions[slot] ?? 0), offset: offset))
    case 997..<999:
      let message = Message.controlChange(Channel(wire: UInt8(pick(16))), controller: 121, value: 0)
      try execute(.sound(slot: slot, SessionID(number: sessions[slot] ?? 0), message))
    default: try execute(.releaseNotes)
    }
  }

  /// Opens a session in a free slot. All sessions have the SSRC of the hostile packets.
  private func open(_ slot: Int) throws(FuzzFailure) {
    guard sessions[slot] == nil else { return }
    lastSession += 1
    sessions[slot] = lastSession
    let source = StreamSource(ssrc: HostilePackets.ssrc, address: address(slot), localSSRC: 1)
    try execute(.open(slot: slot, SessionID(number: lastSession), source, admissions[slot]))
  }

  /// Sets random permissions, and how loud the notes sound, for the peer in a slot.
  private func admit(_ slot: Int) throws(FuzzFailure) {
    (admissions[slot].notes, admissions[slot].modification) = (pick(4) > 0, pick(4) > 0)
    admissions[slot].isTuttiPeer = pick(2) == 0
    admissions[slot].shaping = pick(2) == 0
    admissions[slot].pitchChannels = pick(4) == 0 ? .max : 0
    admissions[slot].hearing = Hearing(percent: [0, 1, 60, 100][pick(4)])
    try execute(.admit(slot: slot, SessionID(number: sessions[slot] ?? 0), admissions[slot]))
  }

  /// Passes a command to the receiver, and checks its outputs.
  private func execute(_ command: ReceivingCommand) throws(FuzzFailure) {
    receiver.execute(command)
    var count = 0
    while let output = receiver.next() {
      count += 1
      // At most, a command ends 128 notes and releases a pedal on 16 channels of each session. Each of these messages can
      // cause a second output, its copy for the control thread.
      try check(count <= 2 * Self.slots * 16 * 129, "too many outputs of a command")
      try record(output)
    }
    if case .admit(_, let session, let admission) = command, admission.hearing == .none || admission.pitchChannels != 0
    {
      try check(heard[session.number]?.isEmpty != false, "a note sounds that the player does not hear any longer")
    }
    if case .close(let slot, let session) = command, sessions[slot] == session.number {
      try check(heard.removeValue(forKey: session.number)?.isEmpty != false, "a note sounds after its session")
      sessions[slot] = nil
      try check(held.removeValue(forKey: session.number)?.isEmpty != false, "a note is held after its session")
    }
    // The receiver has kept the packets that arrived shortly before their session was opened. They are received now.
    while let packet = receiver.takeEarlyPacket(at: now) {
      try receive((0..<packet.count).map { packet.octets[$0] }, from: packet.source)
    }
  }

  /// Passes a packet to the receiver, and checks its outputs.
  private func receive(_ packet: [UInt8], from address: SocketAddress) throws(FuzzFailure) {
    _ = receiver.receive(packet.span, from: address, at: now)
    var count = 1
    while let output = receiver.next(in: packet.span) {
      count += 1
      try check(count <= Self.maximumOutputs, "more than \(Self.maximumOutputs) outputs of one packet")
      try record(output)
    }
    packetsAndOutputs += count
  }

  /// Presents a hostile packet, or a clock probe that may be truncated, as a clock request. Counts the replies.
  private func ask(_ packet: [UInt8], from address: SocketAddress) {
    let probe = octets { _ = ClockProbe(ssrc: HostilePackets.ssrc, identity: 3, sentAt: now).append(to: &$0) }
    let length = pick(2) == 0 ? pick(ClockProbe.length) : ClockProbe.length
    let request = pick(2) == 0 ? packet : Array(probe.prefix(length))
    if receiver.reply(to: request.span, from: address, at: now, sentAt: now) != nil { replies += 1 }
  }

  /// Checks an output of the receiver.
  private func record(_ output: Receiver.Output) throws(FuzzFailure) {
    switch output {
    case .sound(let message, let session?):
      try recordAdmitted(message, of: session)
      try recordHeard(message, of: session, isSofter: false)
    case .hear(let message, let session): try recordHeard(message, of: session, isSofter: true)
    case .record(let message, let session): try recordAdmitted(message, of: session)
    case .shape(let message, let session):
      let slot = sessions.firstIndex(of: session.number)
      let mayShape = slot.map { admissions[$0].shaping && admissions[$0].modification } ?? false
      try check(mayShape && message.channel == Self.localChannel, "a message shapes the instrument without permission")
    case .pitch(let message, let session):
      let slot = sessions.firstIndex(of: session.number)
      // Without a session, a message may only end a note.
      let setsPitches = slot.map { admissions[$0].pitchChannels != 0 } ?? message.silencesNote
      try check(
        setsPitches && (message.key != nil || message.endsAllNotes), "a message sets a pitch without permission")
    case .sound, .send, .reception, .localPitch: break
    }
  }

  /// Checks a message that sounds.
  ///
  /// - Parameter isSofter: whether the message is an output ``Receiver/Output/hear(_:from:)``: a note that is softer than it was played, or
  ///   the end of such a note.
  private func recordHeard(_ message: Message, of session: SessionID, isSofter: Bool) throws(FuzzFailure) {
    // Only messages that belong to a key or end all notes are checked here.
    guard message.key != nil || message.endsAllNotes else { return }
    let endsNote = heard[session.number]?.ends(with: message) ?? false
    heard[session.number, default: HeldNotes()].record(message)
    guard message.startsNote, let slot = sessions.firstIndex(of: session.number) else {
      return try check(!isSofter || endsNote, "the end of a note that does not sound")
    }
    let percent = admissions[slot].hearing.percent
    let isRight = admissions[slot].pitchChannels == 0 && (isSofter ? (1...99).contains(percent) : percent == 100)
    try check(isRight, "a note sounds with a wrong loudness, or although it only sets a pitch")
  }

  /// Checks a message that has passed the gates.
  private func recordAdmitted(_ message: Message, of session: SessionID) throws(FuzzFailure) {
    admitted += 1
    let endsNote = held[session.number]?.ends(with: message) ?? false
    held[session.number, default: HeldNotes()].record(message)
    guard let slot = sessions.firstIndex(of: session.number) else {
      return try check(endsNote, "a message is admitted after its session")
    }
    let isReset = if case .controlChange(_, 121, _) = message { true } else { false }
    let isOpen = message.key == nil ? admissions[slot].modification : admissions[slot].notes
    try check(endsNote || isReset || isOpen, "a message passes a closed gate")
  }

  private func check(_ holds: Bool, _ violation: @autoclosure () -> String) throws(FuzzFailure) {
    if !holds { throw FuzzFailure(violation(), seed: seed, input: inputs) }
  }
}
