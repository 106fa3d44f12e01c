import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// The handling of the outputs of the endpoint, which manages the AppleMIDI sessions.
extension PeerCore {
  /// Handles all outputs of the endpoint. Handling one output can cause further outputs.
  func handleSessions(at now: Instant) {
    while case let outputs = endpoint.drain(), !outputs.isEmpty {
      for output in outputs { handle(output, at: now) }
    }
  }

  /// Handles one output of the endpoint: a packet to send, a change of a session, or a received message.
  func handle(_ output: Endpoint.Output, at now: Instant) {
    switch output {
    case .send(let octets, let address, let local, let port): emit(.send(octets, to: address, from: local, port))
    case .extensionPacket(let session, let address, let local): emit(.probe(session, to: address, from: local))
    case .clockPacket(let session, let address, let local): emit(.clockPacket(session, to: address, from: local))
    case .established(let session, let info): established(session, info, at: now)
    case .refused(let session):
      let address = controlAddress(of: session)
      if invitations.refused(session), let address {
        let isRetried = invitations.targets.contains { $0.session == session }
        emit(.event(.invitationRefused(by: roster[session]?.reference.name, at: address, isRetried: isRetried)))
      }
      ended(session, at: now)
    // Only a peer with a passkey writes a mark into its invitations and its answers.
    case .hasOtherMark(let session, let isMarked):
      let address = controlAddress(of: session)
      if invitations.refused(session), let address { emit(.event(.passkeyDiffers(at: address, hasPasskey: isMarked))) }
      ended(session, at: now)
    case .reflected(let session):
      // The local peer has invited itself, or a hostile device has sent the invitation back. Because the second case is possible,
      // the address is invited again.
      let address = controlAddress(of: session)
      if invitations.refused(session), let address { emit(.event(.invitationReflected(at: address))) }
      ended(session, at: now)
    case .unreachable(let session): ended(session, at: now)
    case .lost(let session):
      // These values are read first, because `left` removes them from the roster.
      let slot = ensemble.roster.slot(of: session)
      let (info, identity) = (
        slot.flatMap { ensemble.roster[$0].session?.info }, slot.flatMap { ensemble.roster.identity($0) }
      )
      left(session, saysGoodbye: false, at: now)
      if let info, let identity {
        places.keep(identity, at: info.control, now: now)
        invitations.lost(identity, of: info, at: now)
      }
    case .closed(let session):
      if let slot = ensemble.roster.slot(of: session), let identity = ensemble.roster.identity(slot),
        let info = ensemble.roster[slot].session?.info
      {
        places.remove(identity, at: info.control)
      }
      left(session, saysGoodbye: true, at: now)
    case .extended(let session, let event): handle(event, of: session, at: now)
    case .clock(let session, let transit): measured(transit, on: session, at: now)
    case .message(let session, let message, let instant, let arrival, let isRecovered):
      let slot = ensemble.roster.slot(of: session)
      let sender = slot.flatMap { ensemble.roster.identity($0) }
      if let slot, let sender { ensemble.heard(slot, sender, at: now) }
      let packet = ClockInput.Packet(
        stamp: instant, isRecovered: isRecovered, lost: clocks.countsPackets ? endpoint.lostPackets(of: session) : 0)
      if !clocks.received(message, from: .session(session), at: arrival, packet: packet, for: &ensemble, now: now) {
        received(message, at: instant, arrival: arrival, isRecovered: isRecovered, from: sender, on: session, now: now)
      }
    case .systemExclusive(let session, let octets, _, _):
      guard let slot = ensemble.roster.slot(of: session) else { break }
      let identity = ensemble.roster.identity(slot)
      if let identity { ensemble.heard(slot, identity, at: now) }
      do {
        guard let message = try PeerMessage(systemExclusive: octets) else {
          // Without an identity, the peer may be a standard device. A System Exclusive changes the sound of instruments.
          if identity == nil, isOpen(.modification, to: slot) { emit(.exclusive(octets, from: session)) }
          break
        }
        received(message, from: identity, slot, on: session, at: now)
      } catch {
        if let identity { ensemble.receivedUnreadable(from: identity) }
      }
    case .feedback(let session, let sequence):
      if let stream = roster.stream(of: session) { emit(.stream(.acknowledge(stream, sequence: sequence))) }
    case .peerSendsJournals(let session):
      if let slot = ensemble.roster.slot(of: session) { ensemble.roster[slot].session!.sendsJournals = true }
      updateStream(of: session)
    case .irregular(let session, let irregularity):
      if let slot = ensemble.roster.slot(of: session) { ensemble.received(irregularity, from: slot) }
    case .declined(let name, let address, let reason):
      // The event below already informs the player. A missing reply from this address is therefore not reported a second time.
      if reason == .isUnverified { invitations.noteReport(of: address) }
      emit(.event(.invitationDeclined(of: name, at: address, reason)))
    }
  }

  /// Handles a message of a Tutti peer. Before the peer is recognised (`identity` is nil), a `UsedIdentity` is handled, the newest timeline
  /// message is kept, and other messages are dropped.
  private func received(
    _ message: PeerMessage, from identity: Identity?, _ slot: Roster.Slot, on session: SessionID, at now: Instant
  ) {
    switch message {
    case .usedIdentity(let used):
      if used.identity == self.identity {
        emit(.event(.identityIsUsed(reportedBy: ensemble.roster[slot].reference)))
      }
    case .phrase(let phrase): if identity != nil { received(phrase, on: session, at: now) }
    case .timeline(let timelineMessage) where identity == nil:
      ensemble.roster[slot].session!.pendingTimelineMessage = timelineMessage
    case .introduction(let introduction):
      guard let identity, let address = ensemble.roster[slot].session?.info.control else { return }
      ensemble.received(introduction, from: identity, at: address, now: now)
      received(introduction, from: identity, at: address, now: now)
    case .timeline, .presence, .offer, .documentRequest, .documentPart, .playerEnergies, .relayRequest,
      .relayedPresence,
      .relayedTimeline:
      guard let identity else { return }
      ensemble.received(message, from: identity, at: now)
      changedSessions.insert(session)
      receivedPresence(on: session)
    }
  }

  /// Adds a clock measurement to the ensemble state and to the external clock of the session, if there is one.
  private func measured(_ transit: ClockTransit, on session: SessionID, at now: Instant) {
    guard let (corrected, report) = ensemble.measured(transit, on: session, at: now) else { return }
    if let (stream, offset) = report { emit(.receiving(.clock(slot: stream.slot, session, offset: offset))) }
    clocks.measured(corrected, on: session, at: now)
  }

  /// Handles a MIDI message of a remote peer: activity, or a tick of the master. Other messages are ignored.
  ///
  /// - Parameters:
  ///   - instant: when the message applies, by the sender's clock. Its resolution is 100 us, the unit of RTP time stamps.
  ///   - arrival: the arrival of the packet.
  ///   - isRecovered: whether the message comes from a recovery journal.
  ///   - sender: the identity of the peer; nil for a standard device, and for a peer that is not recognised yet.
  private func received(
    _ message: Message, at instant: Instant, arrival: Instant, isRecovered: Bool, from sender: Identity?,
    on session: SessionID, now: Instant
  ) {
    if message.isOfChannel {
      if let sender { ensemble.received(message, from: sender) }
      return
    }
    guard message == .clock else { return }
    guard let sender, ensemble.role == .follower(of: sender) else {
      return reportUnusedClock(of: session)
    }
    let schedule = ensemble.schedule
    if isRecovered { return account.recovered(run: schedule.run, start: schedule.start) }
    // The resolution of the instant is 100 us, so the nearest tick is counted.
    let halfTick = Nanoseconds(
      schedule.tempo(at: schedule.tick(atMaster: instant)).nanosecondsPerQuarter / (2 * Tick.perQuarter))
    let tick = schedule.tick(atMaster: instant + halfTick)
    account.heard(tick, run: schedule.run, start: schedule.start)
    // `tickPackets` can also contain packets of other peers. The packet of this tick is therefore found by its arrival.
    if reportsArrivals, let packet = tickPackets.first(where: { $0.arrival == arrival }) {
      emit(.arrived(TickArrival(tick: tick, sent: packet.sent, received: arrival)))
    }
  }

  /// Handles an event of Tutti's extension of RTP-MIDI, which finds out whether a peer is a Tutti peer.
  private func handle(_ event: ExtensionEvent, of session: SessionID, at now: Instant) {
    switch RecognitionEvent(event) {
    case .recognised(let identity): recognised(session, identity, at: now)
    case .standardDevice: recognisedAsStandardDevice(session, at: now)
    case .tuttiPeer:
      // The peer was taken for a standard device. Its identity is not known yet.
      if let slot = ensemble.roster.slot(of: session) { ensemble.roster[slot].session!.kind = .tuttiPeer }
      changedSessions.insert(session)
    case .otherVersion(let version):
      guard let slot = ensemble.roster.slot(of: session) else { return }
      emit(.event(.hasOtherVersion(ensemble.roster[slot].reference, isNewer: version > ClockProbe.version)))
    case nil: break
    }
  }

  /// Reports once that a standard device sends a clock that is not used. Reports nothing while the peer is not recognised, because
  /// it may be a Tutti peer.
  private func reportUnusedClock(of session: SessionID) {
    guard let slot = ensemble.roster.slot(of: session), ensemble.roster[slot].session!.kind == .standardDevice,
      !ensemble.roster[slot].session!.isClockReported
    else { return }
    ensemble.roster[slot].session!.isClockReported = true
    emit(.event(.clockIsUnused(ensemble.roster[slot].reference)))
  }

  /// The address of the control port of a session's peer.
  private func controlAddress(of session: SessionID) -> SocketAddress? {
    roster[session]?.session?.info.control ?? invitations.targets.first { $0.session == session }?.place.control
  }
}
