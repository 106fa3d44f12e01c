import Ensemble
import MIDI
import MusicalTime
import PeerProtocol

/// The messages between the players.
extension VirtualBand {
  /// Takes all outputs from the ensemble of player `n`. Sends its messages and records its events.
  mutating func sendOutputs(of n: Int) {
    for output in players[n].ensemble.takeOutputs() {
      players[n].outputs.append(output)
      if case .event(let event) = output { players[n].events.append(event) }
      switch output {
      case .send(let message, let to, _):
        if case .presence = message, let to { players[n].sentPresences.append((now, to)) }
        post(.exclusive(message.systemExclusive), from: n, to: to)
      case .message(let message, _, let to): post(message, from: n, to: to)
      case .event(.role(let role)): players[n].roles.append((role, now))
      case .event(.channel(let channel)): players[n].channels.append(channel)
      case .event(.warning(let peer, let warning)): players[n].warnings.append(.warning(peer, warning))
      default: break
      }
    }
  }

  /// Sends a control change to the player with identity `to`, or to all if nil. Records the value of the controller for the
  /// recovery journals. All other MIDI messages are dropped. If ``carriesActivity`` is false, control changes are dropped too.
  private mutating func post(_ message: Message, from n: Int, to: Identity?) {
    guard carriesActivity, case .controlChange(_, let controller, let value) = message else { return }
    players[n].sent.append((now, controller, value.value))
    for other in players.indices where to == nil || to == identity(other) {
      journals[n * players.count + other][controller.value] = value.value
    }
    post(.message(message), from: n, to: to)
  }

  /// Puts a datagram into the queue of the network: one copy for the player with identity `to`, or one for each player
  /// if nil.
  private mutating func post(_ datagram: Datagram, from n: Int, to: Identity?) {
    for other in players.indices where other != n && (to == nil || to == identity(other)) {
      let isLost = !connected(n, other) || world.losesPacket()
      let arrival = now + world.delay()
      if !isLost {
        world.add(.datagram(datagram, from: n, to: other), at: arrival)
      } else if case .message(.controlChange(_, let controller, _)) = datagram {
        // The journal of a later packet repairs the loss. In the band, this packet arrives 40 ms after the instant at which the lost
        // packet would have arrived.
        world.add(.datagram(.journal(controller), from: n, to: other), at: arrival + .milliseconds(40))
      }
    }
  }

  /// Delivers a datagram from player `a` to player `n`. If the two players are not connected, a recovery journal is delivered when
  /// they are connected again, and any other datagram is lost.
  mutating func deliver(_ datagram: Datagram, from a: Int, to n: Int) {
    guard players[n].isAlive else { return }
    guard connected(a, n) else {
      if case .journal = datagram { world.add(.datagram(datagram, from: a, to: n), at: now + .milliseconds(50)) }
      return
    }
    let (sender, local) = (identity(a), localTime(of: n))
    players[n].ensemble.heard(sender, at: local)
    switch datagram {
    case .exclusive(let octets): players[n].ensemble.received(systemExclusive: octets, from: sender, at: local)
    case .message(let message):
      players[n].ensemble.received(message, from: sender)
    case .journal(let controller):
      let value = journals[a * players.count + n][controller.value] ?? 0
      players[n].ensemble.received(
        .controlChange(Channel(wire: 0), controller: controller, value: UInt7(masking: value)), from: sender)
    }
  }

  /// Delivers to each player the result of one clock probe with each other player: the transits of the request and of the reply. The
  /// reply arrives now. The request and the reply count as one packet when packets are lost.
  mutating func probe() {
    for a in players.indices where players[a].isAlive {
      let local = localTime(of: a)
      for b in players.indices where a != b && players[b].isAlive && connected(a, b) {
        guard !world.losesPacket() else { continue }
        let (out, back) = (world.delay(), world.delay())
        let replyTime = players[b].localTime(at: now - back)
        let request = ClockTransit(.out, sent: players[a].localTime(at: now - back - out), received: replyTime)
        players[a].ensemble.measured(request, with: identity(b), at: local)
        let reply = ClockTransit(.back, sent: replyTime, received: local)
        players[a].ensemble.measured(reply, with: identity(b), at: local)
      }
    }
  }
}

extension EnsembleState {
  /// Decodes and handles a System Exclusive message, as ``PeerCore`` does.
  mutating func received(systemExclusive octets: [UInt8], from sender: Identity, at now: Instant) {
    do {
      if let message = try PeerMessage(systemExclusive: octets) { received(message, from: sender, at: now) }
    } catch { receivedUnreadable(from: sender) }
  }
}
