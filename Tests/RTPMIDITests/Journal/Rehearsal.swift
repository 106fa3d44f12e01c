import MIDI
import MusicalTime
import Seeds

@testable import RTPMIDI

/// A performance sent over a lossy network, with receiver feedback over another; and what is wrong with what arrives.
struct Rehearsal: ~Copyable {
  var sender: PacketSender
  var receiver = PacketReceiver(ssrc: 3, systemExclusiveCapacity: 4096)
  private var there: LossyChannel
  private var back: LossyChannel
  private var random: SplitMix
  private var now = Instant(nanoseconds: 1_000_000_000)
  private let firstSequence: UInt16

  /// What the sender has said, and what it had said with each packet so far.
  private(set) var said = Listener()
  private var snapshots: [Listener] = []
  private var saidExclusives: [[UInt8]] = []
  private(set) var heard = Listener()
  private var heardExclusives: [[UInt8]] = []
  /// The place in the stream of the furthest packet that has come.
  private var furthest = -1
  /// Octets of the packet sent last.
  private var length = 0
  private(set) var problems: [String] = []

  init(_ kind: LossyChannel.Kind, seed: UInt64, sequence: UInt16 = 65_500, historyCapacity: Int = 256) {
    sender = PacketSender(ssrc: 3, sequence: sequence, historyCapacity: historyCapacity)
    sender.sendsJournal = true
    firstSequence = sequence
    random = SplitMix(seed: seed &* 31)
    there = LossyChannel(kind, seed: seed &* 7)
    back = LossyChannel(kind, seed: seed &* 11)
  }

  mutating func play(_ actions: [Performance.Action]) {
    for action in actions {
      switch action {
      case .message(let message): send(message)
      case .exclusive(let data, let isJournalled): send(data, isJournalled)
      }
    }
  }

  mutating func send(_ message: Message) {
    let instant = now
    said.hear(message)
    dispatch(octets { if !sender.encode(message, at: instant, into: &$0) { problems.append("no room") } })
  }

  /// In pieces of some 64 octets, the packet's journal being as long as it is; with a Clock between, now and then.
  private mutating func send(_ data: [UInt8], _ isJournalled: Bool) {
    let instant = now
    saidExclusives.append(data)
    var sent = 0
    while sent < data.count {
      let room = random.integer(in: 0...1) == 0 ? 1472 : 64 + 200 + length
      dispatch(
        octets(capacity: room) {
          let count = sender.encode(
            systemExclusive: rigid(data), from: sent, at: instant, isJournalled: isJournalled, into: &$0)
          if count == nil { problems.append("no room for a piece") }
          sent = count ?? data.count
        })
      if sent < data.count, random.integer(in: 0...2) == 0 { send(.clock) }
    }
  }

  /// Packets without commands, until one has arrived.
  mutating func guardTheEnd() {
    let last = snapshots.count
    while furthest < last {
      let instant = now
      dispatch(octets { if !sender.encodeGuard(at: instant, into: &$0) { problems.append("no room for a guard") } })
      advance(.milliseconds(100))
    }
    compareExclusives()
  }

  private mutating func dispatch(_ datagram: [UInt8]) {
    snapshots.append(said)
    length = datagram.count
    there.send(datagram, at: now)
    advance(.milliseconds(10))
  }

  private mutating func advance(_ length: Nanoseconds) {
    now = now + length
    while let datagram = there.arrival(by: now) { receive(datagram) }
    while let feedback = back.arrival(by: now) {
      if let feedback = ReceiverFeedback(feedback.span) { sender.acknowledge(feedback.sequence) }
    }
  }

  private mutating func receive(_ datagram: [UInt8]) {
    do {
      try receiver.open(datagram.span, near: now)
    } catch {
      if error != .duplicate && error != .outOfWindow { problems.append("\(error)") }
      return
    }
    let place = Int((UInt16(datagram[2]) << 8 | UInt16(datagram[3])) &- firstSequence)
    if place >= snapshots.count { return problems.append("a packet from nowhere") }
    while let event = receiver.next(in: datagram.span) { hear(event, at: place) }
    guard place > furthest else { return }
    furthest = place
    for difference in heard.differences(from: snapshots[place]) { problems.append("packet \(place): \(difference)") }
    if random.integer(in: 0...7) == 0, let sequence = receiver.highestSequence {
      back.send(octets { _ = ReceiverFeedback(ssrc: 4, sequence: sequence).append(to: &$0) }, at: now)
    }
  }

  private mutating func hear(_ event: PacketReceiver.Event, at place: Int) {
    switch event {
    case .message(let message, _):
      heard.hear(message)
      if place < furthest { problems.append("\(message) of the late packet \(place)") }
    case .recovered(let message, _):
      heard.hear(message)
      if case .noteOn(let channel, let key, _) = message {
        let isRightful = snapshots[max(furthest, 0)..<place].contains { $0.holds(channel, key) }
        if !isRightful { problems.append("packet \(place): ghost \(message)") }
      }
    case .systemExclusive:
      heardExclusives.append((0..<receiver.systemExclusiveCount).map { receiver.systemExclusive(at: $0) })
    }
  }

  /// All that the journal keeps have come; of the others, some; each once, whole and in order.
  private mutating func compareExclusives() {
    var rest = saidExclusives[...]
    for data in heardExclusives {
      guard let place = rest.firstIndex(of: data) else { return problems.append("a strange exclusive \(data)") }
      if rest[..<place].contains(where: { $0[0] == 1 }) { problems.append("an exclusive is missing") }
      rest = rest[(place + 1)...]
    }
    if rest.contains(where: { $0[0] == 1 }) { problems.append("an exclusive is missing at the end") }
  }
}
