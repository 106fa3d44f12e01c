import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Transports

// Execution of the outputs of ``PeerCore``.
extension Peer {
  /// Executes the outputs of ``PeerCore`` in order.
  func execute(_ outputs: [PeerCore.Output]) {
    var hasReceivingCommand = false
    for output in outputs {
      switch output {
      case .send(let octets, let address, let local, let port):
        // A clock probe among these datagrams answers a probe that arrived before the network thread knew the session. The answer has no
        // tag, because in a protected session only the network thread answers probes.
        if let probe = ClockProbe(octets.span) {
          var sealer: DatagramSealer?
          _ = probes.send(probe, to: address, from: local, sealedBy: &sealer)
          continue
        }
        _ = (port == .control ? ports.control : ports.data).send(octets, to: address, from: local)
      case .probe(let session, let address, let local):
        core.endpoint.sendProbe(on: session) { probes.send($0, to: address, from: local, sealedBy: &$1) }
      case .clockPacket(let session, let address, let local):
        // A CK0 of AppleMIDI. The packet contains its send instant, so it is created immediately before it is sent.
        var packet = RigidArray<UInt8>(capacity: ClockPacket.length + DatagramSealer.length)
        let now = MonotonicClock.now
        if core.endpoint.clockPacket(on: session, sentAt: now)?.append(to: &packet) == true {
          core.endpoint.seal(&packet, of: session, port: .data, at: now)
          _ = ports.data.send(packet, to: address, from: local)
        }
      case .stream(let command): clock.execute(command)
      case .document(let part): clock.send(part)
      case .play(let schedule): clock.play(schedule)
      case .receiving(let command):
        network.execute(.receiving(command))
        hasReceivingCommand = true
      case .sounded(let message, let session): report(message, from: session)
      case .exclusive(let octets, let session):
        if midi != nil { clock.send(exclusive: octets) }
        records.append(exclusive: octets, from: session, at: MonotonicClock.now)
      case .arrived(let arrival): records.trace.record(arrival)
      case .event(let event): notify(event)
      }
    }
    if hasReceivingCommand { network.rings.signal.signal() }
  }

  /// Passes a message that has sounded to the observer, and to the programs that are connected to the ALSA port `notes`.
  private func report(_ message: Message, from session: SessionID?) {
    // The programs get the notes of the remote peers only. A message without a session comes from the local player.
    if session != nil, midi != nil { clock.send(.port(message)) }
    guard observer.watches else { return }
    let peer = session.flatMap { core.roster[$0]?.reference }
    // Without an identity, the peer is a standard device.
    let sender = session == nil ? identity : peer?.identity
    let player = sender.flatMap { sender in message.channel.map { ensemble.player(on: $0, of: sender) } }
    let shaped = message.channel.flatMap { channel in
      ensemble.channel == channel
        ? identity : ensemble.localPlayers.first { $0.channel == channel && $0.kind != .local }?.identity
    }
    observer.report(.sounded(message, from: peer), about: peer, by: player, on: shaped, at: MonotonicClock.now)
  }
}
