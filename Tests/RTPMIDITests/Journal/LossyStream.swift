import MIDI
import MusicalTime
import _TestSupport

@testable import RTPMIDI

/// A stream over a lossy link, with receiver feedback over another lossy link. Collects all differences between the
/// sent and the received state.
struct LossyStream: ~Copyable {
  var sender: PacketSender
  var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 4096)
  private var toReceiver: LossyLink
  private var toSender: LossyLink
  private var random: SplitMix
  private var now = Instant(nanoseconds: 1_000_000_000)
  private let firstSequence: UInt16

  /// The present state of the sender.
  private(set) var sentState = ReceiverModel()
  /// The state of the sender after each packet so far.
  private var snapshots: [ReceiverModel] = []
  private var sentExclusives: [[UInt8]] = []
  private(set) var receivedState = ReceiverModel()
  private var receivedExclusives: [[UInt8]] = []
  /// The index of the newest packet that has arrived, counted from the first packet of the stream; -1 if none has arrived.
  private var highestIndex = -1
  /// The size of the latest packet in octets.
  private var length = 0
  /// The differences found, and all other errors.
  private(set) var problems: [String] = []

  /// The default of `sequence` makes the sequence number wrap after 36 packets.
  init(_ kind: LossyLink.Kind, seed: UInt64, sequence: UInt16 = 65_500, historyCapacity: Int = 256) {
    sender = PacketSender(ssrc: 3, sequence: sequence, historyCapacity: historyCapacity)
    sender.sendsJournal = true
    firstSequence = sequence
    random = SplitMix(seed: seed &* 31)
    toReceiver = LossyLink(kind, seed: seed &* 7)
    toSender = LossyLink(kind, seed: seed &* 11)
  }

  /// Sends the commands in separate packets, 10 ms apart.
  mutating func send(_ commands: [RandomCommands.Command]) {
    for command in commands {
      switch command {
      case .message(let message): send(message)
      case .exclusive(let data, let isJournalled): send(data, isJournalled)
      }
    }
  }

  mutating func send(_ message: Message) {
    let instant = now
    sentState.apply(message)
    dispatch(
      octets { if !sender.encode(message, at: instant, into: &$0) { problems.append("no room for \(message)") } })
  }

  /// Sends a System Exclusive in one packet, or in several small ones, sometimes with a Clock between them.
  private mutating func send(_ data: [UInt8], _ isJournalled: Bool) {
    let instant = now
    sentExclusives.append(data)
    var sent = 0
    while sent < data.count {
      // A small packet has room for a segment of 64 octets and for the journal. The journal can be longer than the
      // latest packet by up to 200 octets.
      let room = random.integer(in: 0...1) == 0 ? 1472 : 64 + 200 + length
      dispatch(
        octets(capacity: room) {
          let count = sender.encode(
            systemExclusive: rigid(data), from: sent, at: instant, isJournalled: isJournalled, into: &$0)
          if count == nil { problems.append("no room for a segment") }
          sent = count ?? data.count
        })
      if sent < data.count, random.integer(in: 0...2) == 0 { send(.clock) }
    }
  }

  /// Sends packets without commands until one of them arrives.
  mutating func sendGuardPackets() {
    let firstGuardPacket = snapshots.count
    while highestIndex < firstGuardPacket {
      let instant = now
      dispatch(
        octets { if !sender.encodeGuard(at: instant, into: &$0) { problems.append("no room for a guard packet") } })
      advance(.milliseconds(100))
    }
    compareExclusives()
  }

  /// Sends a datagram over the link, and lets 10 ms pass.
  private mutating func dispatch(_ datagram: [UInt8]) {
    snapshots.append(sentState)
    length = datagram.count
    toReceiver.send(datagram, at: now)
    advance(.milliseconds(10))
  }

  /// Lets time pass. Both ends receive the datagrams that arrive meanwhile.
  private mutating func advance(_ duration: Nanoseconds) {
    now = now + duration
    while let datagram = toReceiver.arrival(by: now) { receive(datagram) }
    while let feedback = toSender.arrival(by: now) {
      if let feedback = ReceiverFeedback(feedback.span) { sender.acknowledge(feedback.sequence) }
    }
  }

  /// Passes a datagram to the receiver. If it is ahead of all others, compares the state of the receiver with that of the sender
  /// after this packet, and sometimes sends receiver feedback.
  private mutating func receive(_ datagram: [UInt8]) {
    do {
      try receiver.open(datagram.span, near: now)
    } catch {
      if error != .duplicate && error != .outOfWindow { problems.append("\(error)") }
      return
    }
    let index = Int((UInt16(datagram[2]) << 8 | UInt16(datagram[3])) &- firstSequence)
    if index >= snapshots.count { return problems.append("a packet that was not sent") }
    while let event = receiver.next(in: datagram.span) { process(event, at: index) }
    guard index > highestIndex else { return }
    highestIndex = index
    for difference in receivedState.differences(from: snapshots[index]) {
      problems.append("packet \(index): \(difference)")
    }
    if random.integer(in: 0...7) == 0, let sequence = receiver.highestSequence {
      toSender.send(octets { _ = ReceiverFeedback(ssrc: 4, sequence: sequence).append(to: &$0) }, at: now)
    }
  }

  /// Applies an event of packet `index`. A recovered note must have been held at the sender in one of the lost packets.
  private mutating func process(_ event: PacketReceiver.Event, at index: Int) {
    switch event {
    case .message(let message, _):
      receivedState.apply(message)
      // A journal has already repaired the loss of a late packet, so the receiver must hold its commands back.
      if index < highestIndex { problems.append("\(message) of the late packet \(index)") }
    case .recovered(let message, _):
      receivedState.apply(message)
      if case .noteOn(let channel, let key, _) = message {
        let wasHeld = snapshots[max(highestIndex, 0)..<index].contains { $0.holds(channel, key) }
        if !wasHeld {
          problems.append("packet \(index): \(message) was recovered, but the sender did not hold the note")
        }
      }
    case .systemExclusive:
      receivedExclusives.append((0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) })
    }
  }

  /// Checks that all journalled System Exclusives and possibly some of the others have arrived, each once, complete and in
  /// order. The first data octet of a journalled one is 1 (``RandomCommands``).
  private mutating func compareExclusives() {
    var rest = sentExclusives[...]
    for data in receivedExclusives {
      guard let index = rest.firstIndex(of: data) else { return problems.append("an unknown exclusive \(data)") }
      if rest[..<index].contains(where: { $0[0] == 1 }) { problems.append("an exclusive is missing") }
      rest = rest[(index + 1)...]
    }
    if rest.contains(where: { $0[0] == 1 }) { problems.append("an exclusive is missing at the end") }
  }
}
