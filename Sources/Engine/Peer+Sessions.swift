import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Realtime
import Transports

// What the sessions say.
extension Peer {
  func handleSessions(at now: Instant) {
    // Handling one thing may bring about another.
    while case let outputs = endpoint.drain(), !outputs.isEmpty {
      for output in outputs { handle(output, at: now) }
    }
    if let news = doubts.news(endpoint.counters, at: now) { log.warning("\(news)") }
  }

  private func handle(_ output: Endpoint<SocketAddress>.Output, at now: Instant) {
    switch output {
    case .send(let bytes, let address, let port):
      _ = (port == .control ? ports.control : ports.data).send(bytes, to: address)
    case .probe(let session, let address):
      endpoint.sendProbe(on: session) { probes.send($0, to: address) }
    case .clockPacket(let session, let address):
      var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
      if endpoint.clockPacket(on: session, sentAt: MonotonicClock.now)?.append(to: &packet) == true {
        _ = ports.data.send(packet, to: address)
      }
    case .established(let session, let info):
      established(session, info, at: now)
    case .refused(let session):
      let name = name(of: session)
      if connections.refused(session) {
        let isSought = connections.targets.contains { $0.session == session }
        log.warning("\(name): refused the invitation\(isSought ? ", trying on" : ""); let this peer in there")
      }
      ended(session, at: now)
    case .reflected(let session):
      log.warning("\(name(of: session)): is this peer itself; leave its own address away from --connect")
      connections.abandoned(session)
      ended(session, at: now)
    case .unreachable(let session):
      ended(session, at: now)
    case .lost(let session):
      let partner = peers[session]
      left(session, at: now)
      if let partner, let identity = partner.identity { connections.lost(identity, of: partner.info, at: now) }
    case .closed(let session):
      left(session, at: now)
    case .recognised(let session, let identity):
      recognised(session, Identity(identity), at: now)
    case .foreign(let session):
      let isKept = clockPeer?.session == session
      log.info(
        "\(name(of: session)) is no Tutti peer: \(isKept ? "its clock is kept" : "it gets each tick at its moment")")
      tell(.joined, of: session, at: now)
    case .clock(let session, let transit):
      guard let partner = peers[session] else { break }
      let known = transit.allowing(for: partner.manner.asymmetry ?? .zero)
      if let identity = partner.identity { ensemble.measured(known, with: identity, at: now) }
      if clockPeer?.session == session { clockPeer?.measured(known, at: now) }
    case .message(let session, let message, let instant, let arrival, let isRecovered):
      if !keep(message, on: session, stamped: instant, at: arrival, isRecovered: isRecovered, now: now) {
        received(message, at: instant, isRecovered: isRecovered, on: session)
      }
    case .systemExclusive(let session, let octets, _, _):
      guard let partner = peers[session] else { break }
      if let identity = partner.identity {
        ensemble.received(systemExclusive: octets, from: identity, at: now)
      } else if let statement = Statement(systemExclusive: octets) {
        peers[session]?.unheard = statement
      }
    case .feedback(let session, let sequence): clock.send(.acknowledge(session: session, sequence: sequence))
    case .journals(let session):
      peers[session]?.journals = true
      settle(session)
    case .declined(let name, let address):
      log.notice("\(name ?? "somebody") at \(address) was refused: --policy \(configuration.policy) does not let it in")
    }
  }

  private func established(_ session: SessionID, _ info: SessionInfo<SocketAddress>, at now: Instant) {
    peers[session] = Partner(info: info, manner: configuration.manners.manner(for: info.name, at: info.control))
    connections.established(session, at: info.control)
    clockPeerCame(session, info)
    clock.send(
      .open(
        session: session, address: info.data, ssrc: endpoint.ssrc, sequence: UInt16.random(in: 0 ... .max),
        takesClock: clockPeer?.session != session))
    settle(session)
    publishSources()
    tellOfMeeting("\(info.name ?? "a peer") at \(info.control) joined", at: now)
  }

  /// How MIDI goes to the peer of a session, as far as can be told by now.
  private func settle(_ session: SessionID) {
    guard let partner = peers[session] else { return }
    let isTutti = partner.identity != nil
    clock.send(.stamp(session: session, partner.manner.playsByStamps ?? isTutti))
    clock.send(.journal(session: session, partner.manner.takesJournal ?? (isTutti || partner.journals)))
  }

  private func recognised(_ session: SessionID, _ identity: Identity, at now: Instant) {
    guard identity != self.identity else {
      // Whoever has begun the session ends it, and knows why; if the other did, it would be begun again and again.
      guard let info = peers[session]?.info, info.isInitiator else { return }
      let line = "\(name(of: session)) at \(info.control): has the identity of this peer, from a copied disk perhaps"
      log.warning("\(line); give one of them another --name")
      connections.abandoned(session)
      return endpoint.close(session, at: now)
    }
    // Both may have invited each other: of two sessions the one that the lower identity began stays.
    if let other = peers.first(where: { $0.value.identity == identity })?.key, let partner = peers[session] {
      let lowerInvites = (self.identity < identity) == partner.info.isInitiator
      let given = lowerInvites ? other : session
      connections.reached(given, by: identity)
      let kept = given == session ? other : session
      if peers[given]?.isTold == true {
        peers[given]?.isTold = false
        peers[kept]?.isTold = true
      }
      peers[given]?.identity = nil
      endpoint.close(given, at: now)
      if given == session { return }
    }
    peers[session]?.identity = identity
    connections.recognised(session, as: identity)
    clockPeerIsTutti(session, at: now)
    if names.count >= 4096 { names.removeAll() }
    names[identity] = peers[session]?.info.name
    clock.send(.recognise(session: session))
    settle(session)
    if peers[session]?.isTold == false { tell(.joined, of: session, at: now) }
    ensemble.joined(identity, at: now)
    if let statement = peers[session]?.unheard {
      peers[session]?.unheard = nil
      ensemble.received(statement, from: identity, at: now)
    }
  }

  private func received(_ message: Message, at instant: Instant, isRecovered: Bool, on session: SessionID) {
    if message.isOfChannel { return receivedOfChannel(message, on: session, at: instant) }
    guard message == .clock, let identity = peers[session]?.identity, ensemble.role == .follower(of: identity) else {
      return
    }
    let plan = ensemble.plan
    if isRecovered { return account.recovered(run: plan.run, start: plan.start) }
    // The stamp counts whole units of 100 us: the tick nearest to it is meant.
    let halfTick = Nanoseconds(plan.timeline.tempo.nanosecondsPerQuarter / 48)
    account.heard(plan.tick(atMaster: instant + halfTick), run: plan.run, start: plan.start)
  }

  private func left(_ session: SessionID, at now: Instant) {
    if let partner = peers[session] { tellOfMeeting("\(partner.info.name ?? "a peer") left", at: now) }
    ended(session, at: now)
  }

  private func ended(_ session: SessionID, at now: Instant) {
    releaseNotes(of: session)
    if peers[session]?.isTold == true { tell(.left, of: session, at: now) }
    clockPeerLeft(session)
    let identity = peers.removeValue(forKey: session)?.identity
    clock.send(.close(session: session))
    publishSources()
    connections.ended(session, of: identity, at: now)
    if let identity { ensemble.left(identity, at: now) }
  }

  /// Says who comes and goes. Anybody on the network may do so a thousand times a second: that is not all said.
  private func tellOfMeeting(_ line: String, at now: Instant) {
    if meetingBudget.admit(at: now) { return log.info("\(line)") }
    if meetingBudget.refused == 1 {
      log.notice("peers come and go faster than can be told: one line a second from now on")
    }
  }

  /// Whom the network thread answers by itself.
  private func publishSources() {
    let sources = peers.values.map { KnownSources.Source(ssrc: $0.info.ssrc, address: $0.info.data) }
    networkRings.known.publish(KnownSources(sources, pace: endpoint.pace))
  }

  private func name(of session: SessionID) -> String {
    if let partner = peers[session] { return partner.info.name ?? partner.info.control.description }
    return connections.targets.first { $0.session == session }?.address.description ?? "a peer"
  }
}
