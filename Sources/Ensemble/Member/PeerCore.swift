public import MIDI
public import MusicalTime
public import PeerProtocol
import Playback
public import RTPMIDI

/// One core of the ensemble: its sessions, whom it connects to, what it plays with whom; without threads, sockets, clock
/// or sound. Datagrams, the player's wishes and instants go in, ``Act``s come out.
///
/// Whoever owns it gives it each datagram, calls ``advance(to:)`` when ``nextDeadline`` has come, gives the player's wishes
/// to ``ensemble``, and after any of these does what ``drain(at:)`` returns, in order. In the engine that is the control
/// thread, in a simulation the virtual peer.
///
/// Real-time: not safe.
public final class PeerCore {
  /// What is to be done.
  public enum Act: Sendable {
    /// A datagram from the own port to the peer's, at once.
    case send([UInt8], to: SocketAddress, Port)
    /// A clock probe is to be sent from the own data port: see ``Endpoint/sendProbe(on:by:)``.
    case probe(SessionID, to: SocketAddress)
    /// A CK0 is to be sent from the own data port: see ``Endpoint/clockPacket(on:sentAt:)``.
    case clockPacket(SessionID, to: SocketAddress)
    case stream(StreamCommand)
    /// Play by this schedule from now on.
    case play(PlaybackSchedule)
    /// A note, a controller or its like sounds here: another's in session, or the player's own.
    case sound(Message, from: SessionID?)
    /// Somebody has joined or left: whom to answer has changed.
    case company
    case tell(PeerCoreEvent)
  }

  public let endpoint: Endpoint
  public var ensemble: Ensemble
  public var connections: Connections
  /// The RTP-MIDI peers whose clock may be kept.
  public var clockPeers: [ClockPeer] = []
  /// Everybody in session.
  public internal(set) var partners: [SessionID: Partner] = [:]
  /// What they hold here, those who have held anything.
  var held: [SessionID: HeldNotes] = [:]
  /// What those who are not recognised yet have said last of the rhythm: the answer that lets them be may have been lost, and
  /// they will not say that again before the next bar.
  var unheard: [SessionID: TimelineMessage] = [:]
  /// What of activity, by controllers, has come from those of whom is not known yet whether they are Tutti peers: of others
  /// it is volume and expression, and sounds then.
  var withheld: [SessionID: [UInt7: Message]] = [:]
  /// The session of each Tutti peer.
  public internal(set) var sessions: [Identity: SessionID] = [:]
  /// What the Tutti peers met so far call themselves, also those that have left.
  public internal(set) var names: [Identity: String] = [:]
  /// The master's ticks that have come.
  public var account = TickAccount()
  /// To whom the player's notes go; nil: to all.
  public var addressee: Identity?
  /// What may come from others to the sound.
  public internal(set) var inbound = MessageBudget()
  /// How a peer is treated, by what it calls itself and its control port.
  private let options: (String?, SocketAddress) -> PeerOptions
  private var random: any RandomNumberGenerator
  private var acts: [Act] = []
  /// Where the player's notes that still sound have gone, by channel and key as they came from the instrument.
  var struck: [Struck: Destination] = [:]
  /// What the player holds for all, on the channels of the instrument: so it goes to those who are no Tutti peers.
  var heldAsPlayed = HeldNotes()

  /// - Parameters:
  ///   - name: what it calls itself.
  ///   - connections: whom to connect to.
  ///   - random: unpredictable outside simulations.
  public init(
    name: String, ensemble: Ensemble, connections: Connections,
    options: @escaping (String?, SocketAddress) -> PeerOptions = { _, _ in PeerOptions() },
    random: any RandomNumberGenerator
  ) {
    var random = random
    endpoint = Endpoint(name: name, identity: ensemble.identity.bits, random: random)
    // The endpoint has begun its own sequence of them.
    _ = random.next()
    self.random = random
    self.ensemble = ensemble
    self.connections = connections
    self.options = options
  }

  public var identity: Identity { ensemble.identity }

  /// Takes a datagram.
  ///
  /// - Parameter answeredAt: when the thread that received it has answered it, if it has.
  public func receive(
    _ datagram: Span<UInt8>, from address: SocketAddress, port: Port, at instant: Instant, answeredAt: Instant? = nil,
    now: Instant
  ) {
    endpoint.receive(datagram, from: address, port: port, at: instant, answeredAt: answeredAt)
    // How many packets are missing right before one that bears a tick is known before the next is taken only.
    if !clockPeers.isEmpty { handleSessions(at: now) }
  }

  /// When ``advance(to:)`` has something to do next.
  public var nextDeadline: Instant {
    let next = min(ensemble.findDeadline(), connections.nextDeadline)
    return endpoint.nextDeadline.map { min($0, next) } ?? next
  }

  /// Does what has become due by `now`.
  public func advance(to now: Instant) {
    // What has come goes first: a peer that has just been heard is not silent.
    handleSessions(at: now)
    endpoint.peerExtension?.knownPeers = connections.crowd
    endpoint.advance(to: now)
    ensemble.advance(to: now)
    for address in connections.advance(endpoint, at: now, where: { partners[$0] != nil }) {
      tell(.unanswered(address))
    }
    for n in clockPeers.indices {
      if let event = clockPeers[n].clock.advance(to: now) { tell(.outsideClock(clockPeers[n].name, event)) }
    }
  }

  /// What there is to do since the last call, in order.
  public func drain(at now: Instant) -> [Act] {
    handleSessions(at: now)
    handleEffects(at: now)
    guard !acts.isEmpty else { return [] }
    defer { acts = [] }
    return acts
  }

  /// Ends all notes: those of the player wherever they sound, and those that others hold here.
  public func releaseNotes() {
    endStruckNotes()
    for session in partners.keys.sorted(by: { $0.number < $1.number }) { releaseNotes(of: session) }
  }

  /// Ends all sessions.
  public func leave(at now: Instant) { endpoint.closeAll(at: now) }

  func emit(_ act: Act) { acts.append(act) }

  /// Which of the peers whose clock may be kept is that of a session.
  func clockPeer(of session: SessionID) -> Int? { clockPeers.firstIndex { $0.session == session } }

  func tell(_ news: PeerCoreEvent) { acts.append(.tell(news)) }

  func firstSequence() -> UInt16 { UInt16.random(in: 0 ... .max, using: &random) }

  func options(for name: String?, at address: SocketAddress) -> PeerOptions { options(name, address) }
}
