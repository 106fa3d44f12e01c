public import MIDI
public import MusicalTime
public import PeerProtocol
import Playback
public import RTPMIDI
public import Receiving
public import Sending

/// The sessions, the invitations and the ensemble state of one peer. The class has no threads, sockets, clock or sound: datagrams,
/// commands of the player and instants go in, ``Output``s come out.
///
/// The owner passes each datagram to ``receive(_:from:to:port:at:answeredAt:isAuthentic:now:)``, calls ``advance(to:)`` at
/// ``nextDeadline``, and applies the player's commands to ``ensemble``. After each of these calls, the owner executes the
/// outputs of ``takeOutputs(at:)`` in order. The owner is the control thread in the engine, and the virtual peer in a
/// simulation.
///
/// Real-time: not safe.
public final class PeerCore {
  /// An action that the owner must perform. Peers are addressed by session.
  ///
  /// The large cases are indirect: the size of every output would otherwise be that of the largest case, 1088 octets.
  public enum Output: Sendable {
    // `from` is the local address from which the packet leaves. If it is nil, the operating system chooses the address.

    /// Send a datagram from the local port to the peer's port at once.
    case send([UInt8], to: SocketAddress, from: SocketAddress?, Port)
    /// Send a clock probe from the local data port: see ``Endpoint/sendProbe(on:by:)``.
    case probe(SessionID, to: SocketAddress, from: SocketAddress?)
    /// Send a CK0 from the local data port: see ``Endpoint/clockPacket(on:sentAt:)``.
    case clockPacket(SessionID, to: SocketAddress, from: SocketAddress?)
    /// Execute a command of the stream sender, on the clock thread.
    indirect case stream(StreamCommand)
    /// Send a part of a document, on the clock thread.
    indirect case document(DocumentTransmission)
    /// Play by this schedule from now on.
    indirect case play(PlaybackSchedule)
    /// Execute a command of the receiver, on the network thread.
    indirect case receiving(ReceivingCommand)
    /// Inform the user of a message of a remote peer that the gates admit, or of a message of the local player (nil). A message of
    /// a remote peer is also passed to the programs that are connected to the ALSA port for notes.
    case sounded(Message, from: SessionID?)
    /// Pass a System Exclusive of a standard device, without F0 and F7, to the programs that are connected to the ALSA port for notes, and to
    /// the MIDI recording.
    case exclusive([UInt8], from: SessionID)
    /// Record the arrival of a tick of the master. Emitted only if ``PeerCore/reportsArrivals`` is true.
    case arrived(TickArrival)
    /// Inform the user.
    indirect case event(Event)
  }

  /// The AppleMIDI sessions.
  public let endpoint: Endpoint
  /// The ensemble as the local peer sees it.
  public var ensemble: EnsembleState
  /// The peers to invite.
  public var invitations: InvitationList
  /// Whether the policy of the local peer permits a session with an introduced peer of this name at this address.
  public var admitsIntroduced: (String?, SocketAddress) -> Bool = { _, _ in true }
  /// The external clocks by which the local peer may play.
  public var clocks = ClockArbiter()
  /// Counts the master's ticks that have arrived, and the lost ones.
  public var account = TickAccount()
  /// Whether the arrivals of the master's ticks are reported.
  public var reportsArrivals = false
  /// The send instant of the newest packet of an RTP stream; nil if it has none.
  private var sendInstant: Instant?
  /// The packets with a tick that the endpoint has not passed on yet. Empty unless ``reportsArrivals`` is true.
  var tickPackets: [(arrival: Instant, sent: Instant?)] = []
  /// The peer to which the player's notes go; nil: all peers.
  public var recipient: Identity? { didSet { isRoutingOutdated = true } }
  /// The sessions of devices that are players of the local peer.
  public var playerSessions: Set<SessionID> = []
  /// The remote players whose notes sound here.
  public var hearing = HearingChoices() { didSet { isAdmissionOutdated = true } }
  /// The channels of pages and devices that set pitches, as the receiver knows them.
  var localPitchChannels: UInt16 = 0
  /// The player whose notes set the pitches of the local player's instrument; nil if there is none. The notes of a remote player do not sound
  /// here then.
  public var pitchSource: Identity? { didSet { isAdmissionOutdated = true } }
  /// The phrases that players of the local peer are recording.
  var phraseRecordings: [Identity: PhraseRecording] = [:]
  /// The programs that pages and devices of the local peer have on their channels, and the value of ``LocalPlayers/changes`` when these were
  /// last compared.
  var playedPrograms: Set<Message> = []
  var programChanges = 0
  /// The settings of the local player.
  var settings = PlayerSettings()
  /// Returns the default program of a channel, 0...127. The channel returns to it when its player releases the channel.
  public var defaultProgram: (Channel) -> UInt7 = { _ in 0 }
  /// Returns the options of a peer by its name and the address of its control port.
  private let options: (String?, SocketAddress) -> PeerOptions
  private var random: any RandomNumberGenerator
  /// The slots of the RTP streams.
  var streamIDs = StreamIDAllocator()
  private var outputs: [Output] = []
  /// Whether ``hearing`` or ``pitchSource`` has changed since the last call of ``updateAdmissions()``.
  var isAdmissionOutdated = false
  /// The sessions that have begun to be recognised, have reported their state or have ended since the last call of ``updateAdmissions()``.
  var changedSessions: Set<SessionID> = []
  /// The owners of the channels at the last call of ``updateAdmissions()``.
  var admittedOwners: [Identity?] = []
  /// The gates at the last call of ``updateAdmissions()``.
  var admittedGates = Gates()
  /// The routes of the player's messages by input channel (the channel of the message), as the receiver knows them.
  var routes = (0..<16).map { PlayerRoute.standard(for: Channel(wire: $0)) }
  /// Whether ``recipient`` or a session has changed since the last call of ``updateRoutes()``.
  var isRoutingOutdated = false
  /// The value of ``EnsembleState/isQuiet`` at the last call of ``updateAdmissions()``.
  var wasQuiet = false
  /// Whether the local player is muted, as the receiver knows it: the receiver then refuses the notes of the player.
  var isMuted = false
  /// The channel of the local player, as the receiver knows it.
  var receivingChannel: Channel?
  /// The value of ``EnsembleState/channelChanges`` at the last call of ``updateAdmissions()``.
  var admittedChannelChanges = 0
  /// The value of ``EnsembleState/channelChanges`` at the last call of ``updateRoutes()``.
  var routedChannelChanges = 0
  /// The places of peers that have not ended their sessions.
  var places = IdentityPlaces()
  /// The sessions to close later, and the instants at which they are closed, earliest first: see ``inform(_:ofUsed:at:)``.
  var closings: [(session: SessionID, at: Instant)] = []
  /// The standard devices whose silence matters.
  var watches: [SessionID: SilenceWatch] = [:]
  /// The rate limit that the network thread puts into its replies to clock probes.
  private var probeRateLimit: UInt16 = 0

  /// - Parameters:
  ///   - name: the name that the local peer reports.
  ///   - key: the key of the group; nil without a passkey.
  ///   - invitations: the peers to invite.
  ///   - options: returns the options of a peer by its name and the address of its control port.
  ///   - random: must be unpredictable outside simulations.
  public init(
    name: String, key: GroupKey? = nil, ensemble: EnsembleState, invitations: InvitationList,
    options: @escaping (String?, SocketAddress) -> PeerOptions = { _, _ in PeerOptions() },
    random: any RandomNumberGenerator
  ) {
    var random = random
    endpoint = Endpoint(name: name, identity: ensemble.identity.bits, key: key, random: random)
    // The endpoint uses a copy of the generator. One number is skipped here, so that the two generators draw different sequences.
    _ = random.next()
    self.random = random
    self.ensemble = ensemble
    self.ensemble.hasPasskey = key != nil
    self.invitations = invitations
    self.options = options
  }

  /// The identity of the local peer.
  public var identity: Identity { ensemble.identity }

  /// The remote peers.
  public var roster: Roster {
    _read { yield ensemble.roster }
  }

  /// Handles a datagram.
  ///
  /// - Parameters:
  ///   - address: the sender.
  ///   - local: the local address to which the datagram was sent; nil if it is unknown.
  ///   - port: the local port at which the datagram arrived.
  ///   - instant: when the datagram arrived, local time.
  ///   - answeredAt: when the network thread answered the datagram; nil if it did not.
  ///   - isAuthentic: whether the network thread has found the datagram authentic (``Receiver/authenticate(_:_:from:port:)``).
  public func receive(
    _ datagram: Span<UInt8>, from address: SocketAddress, to local: SocketAddress? = nil, port: Port,
    at instant: Instant, answeredAt: Instant? = nil, isAuthentic: Bool = false, now: Instant
  ) {
    endpoint.receive(
      datagram, from: address, to: local, port: port, at: instant, answeredAt: answeredAt, isAuthentic: isAuthentic)
    // External clocks need the number of packets that are missing directly before a tick, which is known only until the next
    // datagram. Without external clocks, the datagrams are handled together later.
    if clocks.countsPackets { handleSessions(at: now) }
  }

  /// Handles what the network thread has received on an RTP stream. The owner must pass receptions and datagrams in the order in
  /// which they arrived.
  ///
  /// - Parameter systemExclusive: returns the data of a System Exclusive message. Called once if `reception` is such a message.
  public func receive(_ reception: Reception, systemExclusive: () -> [UInt8], now: Instant) {
    switch reception {
    case .packet(let session, let report, let sendInstant):
      // External clocks need the number of packets that are missing directly before a tick, which is known only until the next
      // packet.
      if clocks.countsPackets { handleSessions(at: now) }
      endpoint.received(report, on: session)
      self.sendInstant = sendInstant
      if let sendInstant { endpoint.received(sendInstant: sendInstant, at: report.arrival, on: session) }
    case .message(let session, let message, let stamp, let arrival, let isRecovered, let isAdmitted):
      if reportsArrivals, message == .clock, !isRecovered { tickPackets.append((arrival, sendInstant)) }
      endpoint.received(message, stamped: stamp, at: arrival, isRecovered: isRecovered, on: session)
      received(message, on: session, isAdmitted: isAdmitted)
      if isAdmitted { watchHeldNotes(message, on: session, at: now) }
    case .shaped(let session): shaped(by: session)
    case .refused(let session, let count):
      let peer = session.flatMap { ensemble.roster.slot(of: $0) }.map { ensemble.roster[$0].reference }
      if session == nil || peer != nil { emit(.event(.messagesRefused(from: peer, count: count))) }
    case .released(let session, let message):
      emit(.sounded(message, from: session))
      watchHeldNotes(message, on: session, at: now)
    case .played(let message, let channel, let origin):
      played(message, soundedOn: channel, from: origin, at: now)
    case .struck: ensemble.played(at: now)
    case .systemExclusive(let session, let stamp, let arrival):
      endpoint.received(systemExclusive: systemExclusive(), stamped: stamp, at: arrival, on: session)
    case .unknownSource(let ssrc, let address, let arrival):
      endpoint.receivedPacket(ofUnknownSource: ssrc, from: address, at: arrival)
    case .dropped(let error): endpoint.dropped(error)
    }
  }

  /// The instant at which ``advance(to:)`` must be called next.
  public var nextDeadline: Instant {
    let next = min(
      ensemble.findDeadline(), invitations.nextDeadline, closings.first?.at ?? .distantFuture, silenceDeadline)
    return endpoint.nextDeadline.map { min($0, next) } ?? next
  }

  /// Does everything that is due at `now`.
  public func advance(to now: Instant) {
    // Received datagrams are handled first, so that a peer that was just heard does not count as silent.
    handleSessions(at: now)
    closeDueSessions(at: now)
    superviseSilence(at: now)
    endpoint.advance(to: now)
    ensemble.advance(to: now)
    let missing = invitations.advance(
      endpoint, at: now, where: { ensemble.roster.contains($0) },
      isInSession: { ensemble.roster.session(of: $0) != nil })
    for address in missing {
      emit(.event(.noReply(from: address)))
    }
    clocks.advance(to: now, for: &ensemble)
  }

  /// Returns all outputs since the last call, in order.
  public func takeOutputs(at now: Instant) -> [Output] {
    handleSessions(at: now)
    tickPackets.removeAll()
    for (name, event) in clocks.takeEvents() { emit(.event(.externalClock(name, event))) }
    handleEnsembleOutputs(at: now)
    updateAdmissions()
    updateRoutes()
    updatePrograms()
    updateMuting()
    if endpoint.probeRateLimit != probeRateLimit {
      probeRateLimit = endpoint.probeRateLimit
      emit(.receiving(.limitProbes(probeRateLimit)))
    }
    var taken: [Output] = []
    swap(&taken, &outputs)
    return taken
  }

  /// Handles the end of a suspension of the machine, during which the local clock stood still. The measurements of all remote
  /// clocks are discarded, and the Tutti peers in session are invited again (``Endpoint/resume(at:)``).
  public func resume(at now: Instant) {
    // Measurements that wait in the endpoint are from before the suspension. They are handled first, so that they are discarded too.
    handleSessions(at: now)
    ensemble.endSuspension(at: now)
    for session in ensemble.roster.forgetReportedOffsets() {
      emit(.receiving(.clock(slot: session.stream.slot, session.id, offset: nil)))
    }
    clocks.discardMeasurements()
    endpoint.resume(at: now)
  }

  /// Ends all notes: the notes of the local player, and the notes of remote peers that sound here.
  public func releaseNotes() { emit(.receiving(.releaseNotes)) }

  /// Ends all sessions.
  public func leave(at now: Instant) { endpoint.closeAll(at: now) }

  /// Appends an output for the next call of ``takeOutputs(at:)``.
  func emit(_ output: Output) { outputs.append(output) }

  /// A random sequence number for the first packet of a stream.
  func firstSequence() -> UInt16 { UInt16.random(in: 0 ... .max, using: &random) }

  /// The options that the user has set for a peer.
  func options(for name: String?, at address: SocketAddress) -> PeerOptions { options(name, address) }
}
