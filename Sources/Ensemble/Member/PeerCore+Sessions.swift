import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// What the sessions say.
extension PeerCore {
  func handleSessions(at now: Instant) {
    // Handling one thing may bring about another.
    while case let outputs = endpoint.drain(), !outputs.isEmpty {
      for output in outputs { handle(output, at: now) }
    }
  }

  func handle(_ output: Endpoint.Output, at now: Instant) {
    switch output {
    case .send(let octets, let address, let port): emit(.send(octets, to: address, port))
    case .extensionPacket(let session, let address): emit(.probe(session, to: address))
    case .clockPacket(let session, let address): emit(.clockPacket(session, to: address))
    case .established(let session, let info): established(session, info, at: now)
    case .refused(let session):
      let place = place(of: session)
      if connections.refused(session), let place {
        let isSought = connections.targets.contains { $0.session == session }
        tell(.refused(partners[session]?.info.name, at: place, isSought: isSought))
      }
      ended(session, at: now)
    case .reflected(let session):
      if let place = place(of: session) { tell(.reflected(place)) }
      connections.abandoned(session)
      ended(session, at: now)
    case .unreachable(let session): ended(session, at: now)
    case .lost(let session):
      let partner = partners[session]
      left(session, isSaid: false, at: now)
      if let partner, let identity = partner.identity { connections.lost(identity, of: partner.info, at: now) }
    case .closed(let session): left(session, isSaid: true, at: now)
    case .extended(let session, let event):
      switch PeerEvent(event) {
      case .recognised(let identity): recognised(session, identity, at: now)
      case .standardDevice: foreign(session, at: now)
      case .tuttiPeer: partners[session]?.isForeign = false
      case nil: break
      }
    case .clock(let session, let transit):
      guard let partner = partners[session] else { break }
      let known = transit.allowing(for: partner.options.asymmetry ?? .zero)
      if let identity = partner.identity { ensemble.measured(known, with: identity, at: now) }
      if let n = clockPeer(of: session) { clockPeers[n].measured(known, at: now) }
    case .message(let session, let message, let instant, let arrival, let isRecovered):
      let sender = partners[session]?.identity
      if let sender { ensemble.heard(sender, at: now) }
      if !keep(message, on: session, stamped: instant, at: arrival, isRecovered: isRecovered, now: now) {
        received(message, at: instant, isRecovered: isRecovered, from: sender, on: session, now: now)
      }
    case .systemExclusive(let session, let octets, _, _):
      if let identity = partners[session]?.identity {
        ensemble.heard(identity, at: now)
        ensemble.received(systemExclusive: octets, from: identity, at: now)
      } else if let timelineMessage = TimelineMessage(systemExclusive: octets) {
        if partners[session] != nil { unheard[session] = timelineMessage }
      }
    case .feedback(let session, let sequence): emit(.stream(.acknowledge(session, sequence: sequence)))
    case .journals(let session):
      partners[session]?.journals = true
      settle(session)
    case .declined(let name, let address): tell(.declined(name, at: address))
    }
  }

  private func received(
    _ message: Message, at instant: Instant, isRecovered: Bool, from sender: Identity?, on session: SessionID,
    now: Instant
  ) {
    if message.isOfChannel {
      if let sender, ensemble.received(message, at: instant, isRecovered: isRecovered, from: sender, now: now) {
        return
      }
      return sound(message, on: session, at: now)
    }
    guard message == .clock else { return }
    guard let sender, ensemble.role == .follower(of: sender) else {
      return name(strangeClock: session)
    }
    let schedule = ensemble.schedule
    if isRecovered { return account.recovered(run: schedule.run, start: schedule.start) }
    // The stamp counts whole units of 100 us: the tick nearest to it is meant.
    let halfTick = Nanoseconds(schedule.timeline.tempo.nanosecondsPerQuarter / 48)
    account.heard(schedule.tick(atMaster: instant + halfTick), run: schedule.run, start: schedule.start)
  }

  /// A message on a session: of interest if it is the one whose clock is kept.
  ///
  /// - Returns: whether it is.
  private func keep(
    _ message: Message, on session: SessionID, stamped stamp: Instant, at arrival: Instant, isRecovered: Bool,
    now: Instant
  ) -> Bool {
    guard let said = OutsideClock.Message(message), let n = clockPeer(of: session), !clockPeers[n].isTutti else {
      return false
    }
    let event = clockPeers[n].received(
      said, stamped: stamp, at: arrival, isRecovered: isRecovered, lost: endpoint.statistics(of: session)?.lost ?? 0,
      for: &ensemble, now: now)
    if let event { tell(.outsideClock(clockPeers[n].name, event)) }
    return true
  }

  /// A tick of a peer that is none of ours, and that nobody has been asked to keep: it is named once.
  private func name(strangeClock session: SessionID) {
    guard let partner = partners[session], partner.identity == nil, !partner.isClockNamed else { return }
    partners[session]?.isClockNamed = true
    tell(.strangeClock(partner))
  }

  /// Where the peer of a session is.
  private func place(of session: SessionID) -> SocketAddress? {
    partners[session]?.info.control ?? connections.targets.first { $0.session == session }?.place.control
  }
}
