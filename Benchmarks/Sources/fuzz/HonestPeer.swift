import BasicContainers
import MIDI
import MusicalTime
import RTPMIDI
import Seeds

/// One who means it well: it is in session with the victim, or asks to be, and plays.
final class HonestPeer {
  let place: Place
  private let endpoint: Endpoint<Place>
  private var sender: PacketSender
  private var letters: [HostileDatagrams.Letter] = []
  private var session: SessionID?
  private var isEstablished = false
  private var random: SplitMix

  init(place: Place, seed: UInt64) {
    self.place = place
    random = SplitMix(seed: seed &+ UInt64(place.port))
    endpoint = Endpoint(name: "peer \(place.port)", identity: UInt64(place.port), random: random)
    sender = PacketSender(ssrc: endpoint.ssrc, sequence: 0)
    sender.sendsJournal = true
  }

  /// Does what is due, and plays something now and then.
  func advance(to now: Instant, victim: Place) {
    if session == nil { session = try? endpoint.connect(to: victim, data: victim.dataPort, at: now) }
    endpoint.advance(to: now)
    takeOutputs()
    guard isEstablished, random.integer(in: 0...3) == 0 else { return }
    var packet = RigidArray<UInt8>(capacity: PacketSender.longestMessagePacket)
    let key = UInt7(masking: UInt8(random.integer(in: 0...127)))
    let messages: [Message] = [
      .clock, .start, .stop, .songPosition(100), .noteOn(Channel(1)!, key: key, velocity: 64),
      .noteOff(Channel(1)!, key: key, velocity: 64), .controlChange(Channel(2)!, controller: key, value: 3),
      .programChange(Channel(3)!, program: key), .pitchBend(Channel(4)!, 9000),
    ]
    _ = sender.encode(messages.randomElement(using: &random)!, at: now, into: &packet)
    var octets: [UInt8] = []
    for index in 0..<packet.count { octets.append(packet[index]) }
    letters.append(HostileDatagrams.Letter(octets: octets, from: place.dataPort, port: .data))
  }

  /// What the victim answers.
  func receive(_ octets: [UInt8], from: Place, port: Port, at now: Instant) {
    endpoint.receive(octets, from: from, port: port, at: now)
    takeOutputs()
  }

  /// What it has to say since the last call.
  func takeLetters() -> [HostileDatagrams.Letter] {
    defer { letters.removeAll() }
    return letters
  }

  private func takeOutputs() {
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, _, let port):
        letters.append(
          HostileDatagrams.Letter(octets: octets, from: port == .control ? place : place.dataPort, port: port))
      case .established(let id, _) where id == session: isEstablished = true
      case .closed(let id) where id == session, .lost(let id) where id == session,
        .refused(let id) where id == session, .unreachable(let id) where id == session:
        (session, isEstablished) = (nil, false)
      case .feedback(_, let sequence): sender.acknowledge(sequence)
      default: break
      }
    }
  }
}
