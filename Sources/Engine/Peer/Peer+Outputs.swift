import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Realtime
import Receiving
import Sending
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
      case .stream(let command): execute(command)
      case .play(let schedule):
        clock.rings.schedule.publish(schedule)
        clock.rings.bell.ring()
      case .receiving(let command):
        execute(command)
        hasReceivingCommand = true
      case .sounded(let message, let session): report(message, from: session)
      case .arrived(let arrival): trace.record(arrival)
      case .event(let event): notify(event)
      }
    }
    if hasReceivingCommand { networkRings.signal.signal() }
  }

  /// Passes a message that has sounded to the observer, and to the programs that are connected to the ALSA port `notes`.
  private func report(_ message: Message, from session: SessionID?) {
    // The programs get the notes of the remote peers only. A message without a session comes from the local player.
    if session != nil, midi != nil { clock.send(.port(message)) }
    guard observer != nil else { return }
    let peer = session.flatMap { core.roster[$0]?.reference }
    observer?.report(.sounded(message, from: peer), about: peer, at: MonotonicClock.now)
  }

  /// Passes a command to the clock thread. If the command opens a stream that needs new memory, passes this memory, too. Messages have a
  /// ring of their own, because they wait while a deadline is near.
  private func execute(_ command: StreamCommand) {
    if case .open(let stream, _, _, _, _, _, _) = command, stream.slot >= sendingCapacity,
      sendingCapacity < ClockLoop.maximumSessions
    {
      // `memory` holds the memory of one stream. The clock thread has taken the previous memory when it has executed the command for which
      // that memory was given.
      while clock.rings.memory.isFull {
        clock.rings.bell.ring()
        MonotonicClock.sleep(until: MonotonicClock.now + .microseconds(100))
      }
      clock.rings.memory.give(PacketSender(ssrc: 0, sequence: 0))
      sendingCapacity += 1
    }
    if case .message(let message) = command { clock.send(.stream(message)) } else { clock.send(.stream(command)) }
  }

  /// Passes a command to the network thread. If the command opens a session that needs new memory, passes this memory, too.
  private func execute(_ command: ReceivingCommand) {
    // While the peer leaves, the last datagrams can begin sessions. The network thread has then ended and takes no memory.
    guard !network.isStopped else { return }
    if case .open(let slot, _, _, _, _) = command, slot >= receivingCapacity {
      // `memory` holds one block. The network thread has taken the previous block when it has executed the command for which that block was
      // given.
      while networkRings.memory.isFull {
        networkRings.signal.signal()
        MonotonicClock.sleep(until: MonotonicClock.now + .microseconds(100))
      }
      networkRings.memory.give(SessionBlock())
      receivingCapacity += SessionBlock.slots
    }
    // The ring can become full while the network thread pauses in a flood (``ProcessorBudget``). After the pause, the network thread
    // empties the ring.
    let limit = MonotonicClock.now + .milliseconds(100)
    while networkRings.commands.count >= networkRings.commands.capacity, MonotonicClock.now < limit {
      networkRings.signal.signal()
      MonotonicClock.sleep(until: MonotonicClock.now + .microseconds(100))
    }
    networkRings.commands.push(command)
  }
}
