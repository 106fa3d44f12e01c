import Ensemble
import MIDI
import Measurement
import MusicalTime
import PeerProtocol
import RTPMIDI
import Sending
import Transports

// The MIDI devices that play as players of this peer.
extension Peer {
  /// Adopts a device as a player: `DEVICE` or `DEVICE=NAME`.
  func adopt(_ text: String) {
    if let problem = pages.devices.adopt(text, by: identity) { return log.notice("\(text): not adopted: \(problem)") }
    log.info("\(text): adopted; it plays as soon as it is connected")
  }

  /// Makes the adopted devices that are connected players, and sends them the total activity (CC 7).
  func advanceDevices(at now: Instant) {
    let changes = pages.devices.connect(
      sessions: { standardDevices.map { (id: $0.id, reference: $0.reference) } },
      ports: { midi?.sequencer.ports() ?? [] }, at: now)
    for change in changes {
      let device = change.device
      if !change.isConnected {
        ensemble.leave(device.identity, at: now)
        write("\(device.name): disconnected", .info, .sessions, of: device.name, at: now)
        continue
      }
      if case .port(let address) = device.state.source {
        do throws(TransportError) { try midi?.sequencer.subscribe(SequencerLink(.input, address)) } catch {
          log.warning("\(error)")
        }
      }
      let code: PlayerInstrumentCode = instrument.isChosen ? ensemble.localPlayers[0].instrument : .none
      ensemble.join(device.identity, .device, named: device.name, instrument: code, at: now)
      write("\(device.name): plays as a player of this peer", .info, .sessions, of: device.name, at: now)
    }
    if !changes.isEmpty {
      core.playerSessions = Set(
        pages.devices.devices.compactMap { if case .session(let session) = $0.state.source { session } else { nil } })
    }
    let total = ensemble.totalActivity(at: now)
    for source in pages.devices.receivers(of: total) {
      let message = Message.controlChange(Channel(wire: 0), controller: 7, value: UInt7(masking: total))
      switch source {
      case .session(let session): core.send(message, to: session)
      case .port: clock.send(.port(message))
      case .none: break
      }
    }
  }

  /// Connects the devices that play parts of the score.
  func advanceScoreDevices(at now: Instant) {
    let digest = ensemble.scoreDigest
    let (routes, notices) = scoreDevices.connect(
      digest, score: digest.flatMap { ensemble.score($0) },
      sessions: { standardDevices.map { (stream: $0.stream, reference: $0.reference) } },
      ports: { midi?.sequencer.ports() ?? [] }, at: now)
    if let routes { clock.set(routes) }
    report(notices, at: now)
  }

  /// The RTP-MIDI devices without Tutti in session.
  private var standardDevices: [(id: SessionID, stream: StreamID, reference: PeerReference)] {
    core.roster.mapSessions { peer in
      peer.isStandardDevice ? (peer.session!.id, peer.session!.stream, peer.reference) : nil
    }.compactMap { $0 }
  }

  /// Handles a message of an adopted device that the network thread has received: its energy (CC 11), or the beginning of a note.
  func received(_ message: Message, fromDevice index: Int, at instant: Instant) {
    guard let device = pages.devices.identity(index) else { return }
    let now = instant
    switch message {
    case .controlChange(_, 11, let value): ensemble.setActivity(value.value, of: device, at: now)
    case .noteOn(_, _, let velocity) where velocity.value > 0:
      ensemble.played(by: device, at: now)
      records.add(TraceAction(at: instant, force: velocity.value, by: tracePlayer(device)))
    default: break
    }
  }
}
