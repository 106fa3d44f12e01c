import MIDI
import MusicalTime
import PeerProtocol
import Receiving
import _TestSupport

@testable import Ensemble
@testable import RTPMIDI

/// A core that hears all peers, and the receiver that executes its commands. Messages of remote peers arrive in packets.
final class ListeningPeer {
  let core: PeerCore
  private var receiver = Receiver(identity: 1)
  private let now: Instant
  /// The outputs of the core that are not for the receiver, and the messages of the local player.
  private var outputs: [PeerCore.Output] = []
  /// The messages that have sounded.
  private var sounds: [(message: Message, session: SessionID?)] = []
  /// The number of packets so far: the sequence number of the next packet of any session.
  private var packets: UInt16 = 0

  init(_ core: PeerCore, at now: Instant) {
    (self.core, self.now) = (core, now)
    try? core.hearing.apply("all=100")
    receiver.add(SessionBlock())
    perform()
  }

  /// The number of messages that the budgets have refused.
  var refused: Int64 { receiver.refused }

  /// Receives a message of the peer of a session.
  func receive(_ message: Message, on session: SessionID) {
    perform()
    guard let info = core.roster[session]?.session?.info else { return }
    packets += 1
    var sender = PacketSender(ssrc: info.ssrc, sequence: packets)
    let packet = octets { _ = sender.encode(message, at: now, into: &$0) }
    core.receive(receiver.receive(packet.span, from: info.data, at: now), systemExclusive: { [] }, now: now)
    while let output = receiver.next(in: packet.span) { execute(output) }
    perform()
  }

  /// Returns the outputs of the core since the previous call, except those for the receiver, and the messages of the local player.
  func takeOutputs() -> [PeerCore.Output] {
    perform()
    defer { outputs = [] }
    return outputs
  }

  /// Returns the messages that have sounded since the previous call: those of remote peers, or those of the local player if `local` is
  /// true. Discards the other messages.
  func takeSounds(local: Bool = false) -> [Message] {
    perform()
    defer { sounds = [] }
    return sounds.filter { ($0.session == nil) == local }.map(\.message)
  }

  /// Executes the commands of the core.
  private func perform() {
    for output in core.takeOutputs(at: now) {
      guard case .receiving(let command) = output else {
        outputs.append(output)
        continue
      }
      receiver.execute(command)
      while let output = receiver.next() { execute(output) }
    }
  }

  private func execute(_ output: Receiver.Output) {
    switch output {
    case .sound(let message, let session): sounds.append((message, session))
    // A softer note, or the end of a note that must not sound any longer.
    case .hear(let message, let session): sounds.append((message, session))
    case .record, .pitch, .localPitch: break
    // A remote peer changes the sound of the local player's instrument.
    case .shape(let message, _):
      receiver.execute(.play(message))
      while let output = receiver.next() { execute(output) }
    case .send(let message): outputs.append(.stream(.message(message)))
    case .reception(let reception):
      core.receive(reception, systemExclusive: { [] }, now: now)
      // In a peer, the endpoint of the core reports the message. Here the endpoint does not contain the sessions of the tests, so this
      // function reports the message.
      if case .message(let session, let message, _, _, let isRecovered, _) = reception {
        core.handle(.message(session, message, at: now, arrival: now, isRecovered: isRecovered), at: now)
      }
    }
  }
}
