import MIDI
import MusicalTime
import Receiving
import Testing
import _TestSupport

@testable import RTPMIDI

/// Which notes of a remote peer sound, and how loud. The hearing of a remote peer is the share of the velocity with which its
/// notes sound.
@Suite struct HearingTests {
  private static let channel = Channel(3)!
  private let off = Message.noteOff(channel, key: 60, velocity: 64)

  private func on(_ velocity: UInt7) -> Message { .noteOn(Self.channel, key: 60, velocity: velocity) }

  /// The outputs of the receiver for some messages, by kind.
  private struct Result: Equatable {
    /// The messages that sound.
    var sounds: [Message] = []
    /// The messages that set pitches of the local player's instrument.
    var pitches: [Message] = []
    /// The messages that are recorded.
    var recorded: [Message] = []
    /// The messages that the control thread gets as admitted messages, or as the ends of held notes.
    var reported: [Message] = []

    mutating func add(_ output: Receiver.Output) {
      // The output `sound` also records the message. A note that is softer or silent is recorded by the separate output `record`.
      switch output {
      case .sound(let message, _):
        sounds.append(message)
        recorded.append(message)
      case .hear(let message, _): sounds.append(message)
      case .record(let message, _): recorded.append(message)
      case .reception(.message(_, let message, _, _, _, isAdmitted: true)), .reception(.released(_, let message)):
        reported.append(message)
      case .pitch(let message, _): pitches.append(message)
      case .shape, .send, .reception, .localPitch: break
      }
    }
  }

  /// A receiver with one remote peer, whose gates are all open. `receive` passes messages of the remote peer to the receiver. The
  /// session has the number 1 and the slot 0. The remote peer has the SSRC 7 and sends from port 5005 of host 1.
  private struct Peer: ~Copyable {
    var receiver = Receiver(identity: 1)
    private var sender = PacketSender(ssrc: 7, sequence: 0)
    private let address = SocketAddress(host: 1, port: 5005)
    private let now = Instant(nanoseconds: 1_000_000_000)

    /// Begins with this hearing of the remote peer, in percent.
    init(_ percent: UInt8) {
      receiver.add(SessionBlock())
      let source = StreamSource(ssrc: 7, address: address, localSSRC: 1)
      receiver.execute(.open(slot: 0, SessionID(number: 1), source, Self.admission(percent)))
    }

    static func admission(_ percent: UInt8, notes: Bool = true) -> Admission {
      var admission = Admission()
      (admission.notes, admission.modification, admission.hearing) = (notes, true, Hearing(percent: percent))
      return admission
    }

    mutating func receive(_ messages: Message...) -> Result {
      var result = Result()
      for message in messages {
        let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
        _ = receiver.receive(packet.span, from: address, at: now)
        while let output = receiver.next(in: packet.span) { result.add(output) }
      }
      return result
    }

    mutating func execute(_ command: ReceivingCommand) -> Result {
      receiver.execute(command)
      var result = Result()
      while let output = receiver.next() { result.add(output) }
      return result
    }

    /// Sets the hearing of the remote peer in percent, and whether the gate for notes is open.
    mutating func hear(_ percent: UInt8, notes: Bool = true) -> Result {
      execute(.admit(slot: 0, SessionID(number: 1), Self.admission(percent, notes: notes)))
    }
  }

  /// The velocity of the sound is rounded down, but at least 1: 60 % of 101 are 60.6. A note that does not sound is recorded and
  /// reported like any other note.
  @Test(arguments: [(UInt8(100), UInt7(101)), (60, 60), (1, 1), (0, 0)])
  func noteSoundsWithItsShareOfTheVelocity(percent: UInt8, velocity: UInt7) {
    var peer = Peer(percent)
    let result = peer.receive(on(101), off)
    #expect(result.sounds == (velocity == 0 ? [] : [on(velocity), off]))
    #expect(result.recorded == [on(101), off] && result.reported == [on(101), off])
  }

  /// The softest note does not become a Note Off.
  @Test func softNoteSounds() {
    var peer = Peer(1)
    #expect(peer.receive(on(1)).sounds == [on(1)])
  }

  /// A controller or a program change of a peer that is not heard takes effect, so that a later note has the right
  /// sound.
  @Test func controllersOfAPeerThatIsNotHeardTakeEffect() {
    var peer = Peer(0)
    let messages: [Message] = [
      .controlChange(Self.channel, controller: 1, value: 5), .programChange(Self.channel, program: 9),
    ]
    #expect(peer.receive(messages[0], messages[1]).sounds == messages)
  }

  /// If the hearing is set to 0 %, the sounding notes end once. The ends are neither recorded nor reported, because the
  /// player still holds the notes.
  @Test func hearingOfZeroPercentEndsNotes() {
    var peer = Peer(60)
    _ = peer.receive(on(100))
    let end = peer.hear(0)
    #expect(end.sounds == [off] && end.recorded.isEmpty && end.reported.isEmpty)
    #expect(peer.hear(0) == Result())
    let release = peer.receive(off)
    #expect(release.sounds.isEmpty && release.recorded == [off] && release.reported == [off])
  }

  /// Another percentage changes no note that sounds already. A note that began silent stays silent.
  @Test func hearingAffectsLaterNotesOnly() {
    var peer = Peer(60)
    _ = peer.receive(on(100))
    #expect(peer.hear(30) == Result())
    #expect(peer.receive(off, on(100)).sounds == [off, on(30)])
    _ = peer.hear(0)
    _ = peer.receive(on(100))
    #expect(peer.hear(100) == Result())
    #expect(peer.receive(on(90)).sounds == [on(90)])
  }

  /// When a session ends, a held note ends in the sound and in the recording, even if the gate for notes was closed
  /// before.
  @Test(arguments: [UInt8(0), 60, 100]) func heldNotesEnd(percent: UInt8) {
    var peer = Peer(percent)
    _ = peer.receive(on(100))
    _ = peer.hear(percent, notes: false)
    #expect(peer.receive(on(100)) == Result(), "the gate is closed")
    let end = peer.execute(.close(slot: 0, SessionID(number: 1)))
    #expect(end.sounds == (percent > 0 ? [off] : []) && end.recorded == [off] && end.reported == [off])
    #expect(peer.execute(.releaseNotes) == Result())
  }

  /// After All Notes Off, a hearing of 0 % has no note left to end.
  @Test func allNotesOffEndsNotes() {
    var peer = Peer(60)
    _ = peer.receive(on(100), .controlChange(Self.channel, controller: 123, value: 0))
    #expect(peer.hear(0) == Result())
  }

  /// The notes of the remote peer set the pitches of the local player's instrument, so they do not sound. A note that sounded before
  /// ends. When the session ends, the key that is still held is released.
  @Test func notesThatSetPitchesDoNotSound() {
    var peer = Peer(60)
    _ = peer.receive(on(100))
    var admission = Peer.admission(60)
    admission.pitchChannels = .max
    #expect(peer.execute(.admit(slot: 0, SessionID(number: 1), admission)).sounds == [off])
    let result = peer.receive(off, on(90))
    #expect(result.sounds.isEmpty && result.pitches == [off, on(90)])
    #expect(result.recorded == [off, on(90)] && result.reported == [off, on(90)])
    let end = peer.execute(.close(slot: 0, SessionID(number: 1)))
    #expect(end.sounds.isEmpty && end.pitches == [off] && end.recorded == [off])
  }

  /// Random notes, All Notes Off, and changes of the hearing and of the gate. When the session has ended, all notes
  /// have ended, in the sound and in the recording.
  @Test(arguments: UInt64(1)...20) func noNoteHangs(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var peer = Peer(100)
    var (sounding, recorded, count) = (HeldNotes(), HeldNotes(), 0)
    func add(_ result: Result) {
      for message in result.sounds {
        sounding.record(message)
        if message.startsNote { count += 1 }
      }
      for message in result.recorded { recorded.record(message) }
    }
    // There are fewer messages than the receiver admits at once (``MessageBudget``).
    for _ in 0..<500 {
      let key = UInt7(masking: UInt8(random.integer(in: 60...63)))
      switch random.integer(in: 0...9) {
      case 0...3: add(peer.receive(.noteOn(Self.channel, key: key, velocity: 100)))
      case 4...6: add(peer.receive(.noteOff(Self.channel, key: key, velocity: 64)))
      case 7: add(peer.receive(.controlChange(Self.channel, controller: 123, value: 0)))
      default:
        let percent: UInt8 = [0, 60, 100][Int(random.integer(in: 0...2))]
        add(peer.hear(percent, notes: random.integer(in: 0...3) > 0))
        if percent == 0 { #expect(sounding.isEmpty) }
      }
    }
    add(peer.execute(.close(slot: 0, SessionID(number: 1))))
    // The count shows that notes have sounded at all.
    #expect(sounding.isEmpty && recorded.isEmpty && count > 20)
  }
}
