import MusicalTime
import RTPMIDI

/// Determines whether the peer of a session is a Tutti peer, and schedules the clock probes.
///
///     asking ──── reply ────▶ recognised
///       │  ▲
///       │  └─ peer uses protocol ──┐
///       └──── no reply ──▶ standard device
///
/// - In the state *asking*, a peer that is expected to be a Tutti peer gets twenty requests, 100 ms apart. A peer is expected if it has
///   announced itself as a Tutti peer in its invitation or its answer (``PeerExtension/announcement``). Any other peer is a standard
///   device at once, and gets no request. A candidate (``RTPMIDI/SessionContext/isCandidate``) gets requests after 0, 250, 1000 and 3000 ms
///   only, because its address may be forged.
/// - A *recognised* peer gets a request every 20 ms for 60 s, then every 100 ms, or less often if the peer limits the
///   rate (``ClockProbe/rateLimit``).
/// - A *standard device* gets no requests, because some implementations log every unknown packet.
///
/// The peer uses the peer protocol if it sends a request or an acknowledgement (``ClockProbe``), an RTP packet with a send instant, or
/// a proof of the passkey. It is then certainly a Tutti peer, even if the network has lost all its replies. Asking then continues
/// until the peer replies, with ten requests per second at first and later one per second. Asking has no time limit in this case:
/// a rhythm may begin at any time, and following the rhythm needs the peer's clock.
///
/// With many sessions, each session sends fewer requests (``ProbeRate``).
struct Recognition {
  private enum State {
    /// Requests are sent. `tries` is the number of requests so far.
    case asking(tries: Int, Evidence)
    /// The peer has replied. `since` is the arrival of its first reply.
    case recognised(identity: UInt64, since: Instant)
    /// The peer has not replied, or was not asked.
    case standardDevice
  }

  /// The evidence that the peer is a Tutti peer, before it has replied.
  private enum Evidence {
    /// The peer has announced itself as a Tutti peer.
    case announcement
    /// The peer used the peer protocol.
    case use
  }

  private var state = State.standardDevice
  /// The instant at which the next request is due, or at which asking ends; nil if nothing is due.
  private(set) var next: Instant?
  /// The shortest interval between the requests to a recognised peer. Each interval is longer by a random part of up to a sixteenth, so
  /// that two peers do not send in step with each other.
  private(set) var interval = Nanoseconds.milliseconds(20)
  /// The shortest interval that the peer permits.
  private var permittedInterval = Nanoseconds.zero
  /// The instant at which ``advance(to:shortestInterval:isCandidate:)`` last returned a request.
  private(set) var lastRequest = Instant(nanoseconds: 0)
  /// The transmit stamp of the first request; nil before it has left.
  private var firstRequest: Instant?
  /// The sent requests, to which replies are matched.
  private var requests = OutstandingRequests()
  /// The number of requests since the last reply, and the transmit stamp of the first of them; nil if there is none.
  private var unanswered: (count: Int, first: Instant)?
  private var dither: Dither

  init(seed: UInt64) { dither = Dither(seed: seed) }

  /// The identity of the peer; nil until it is recognised.
  var identity: UInt64? {
    if case .recognised(let identity, _) = state { identity } else { nil }
  }
  var isRecognised: Bool { identity != nil }
  /// Whether the peer is known to be a Tutti peer. Its identity may still be unknown.
  var isTuttiPeer: Bool {
    if case .asking(_, .use) = state { true } else { isRecognised }
  }

  /// The result of ``advance(to:shortestInterval:isCandidate:)``.
  enum Step {
    /// A request is due.
    case request
    /// Asking has ended without a reply, or was omitted (``beginStandardDevice(at:)``).
    case standardDevice
  }

  /// The result of evaluating a reply.
  enum ReplyResult {
    /// The reply answers a request that left before the first request of this session, at most ten seconds ago. The request belongs to an
    /// earlier session. The remote SSRC and address of this session can be those of the earlier one. Late replies to the earlier session
    /// then arrive in this session.
    case ofEarlierSession
    /// The reply answers a request that left before the last 32 ones, or more than ten seconds ago before this session. A peer that was
    /// stopped, for example by Ctrl-Z, answers all requests that have waited in its socket as soon as it goes on.
    case late
    /// The reply is unsolicited or a duplicate, has another identity than earlier replies, or has implausible stamps.
    case rejected
    /// The peer is recognised by this reply.
    case recognisesPeer
    /// The reply is valid. The peer was recognised by an earlier reply.
    case accepted
  }

  /// Starts asking a peer that has announced itself as a Tutti peer.
  mutating func begin(at now: Instant) { (state, next) = (.asking(tries: 0, .announcement), now) }

  /// Ends asking, because the peer has another version of the protocol and answers no probe.
  mutating func endAsking(at now: Instant) { if case .asking = state { beginStandardDevice(at: now) } }

  /// Treats the peer as a standard device without asking. ``advance(to:shortestInterval:isCandidate:)`` reports this once.
  mutating func beginStandardDevice(at now: Instant) { (state, next) = (.standardDevice, now) }

  /// Returns the step that is due at `now`, if any, and schedules the next step.
  ///
  /// - Parameters:
  ///   - shortestInterval: the shortest interval between two requests that the number of sessions permits.
  ///   - isCandidate: whether the address of the peer may be forged.
  mutating func advance(to now: Instant, shortestInterval: Nanoseconds, isCandidate: Bool) -> Step? {
    guard let due = next, due <= now else { return nil }
    switch state {
    case .asking(let tries, let evidence) where evidence == .use || tries < 20:
      state = .asking(tries: tries + 1, evidence)
      // `interval` does not apply to these requests, but to the requests to a recognised peer. It is set already here, because
      // ``Supervision/silenceLimit`` depends on it as soon as the peer uses the peer protocol.
      interval = max(.milliseconds(20), shortestInterval)
      let isUnknown = isCandidate && evidence == .announcement
      let pause: Int64 = isUnknown ? [250, 750, 2000][min(tries, 2)] : tries < 20 ? 100 : 1000
      next = now + max(.milliseconds(pause), shortestInterval)
    case .recognised(_, let since):
      interval = max(
        .milliseconds(now - since < .seconds(60) ? 20 : 100), shortestInterval, permittedInterval)
      next = now + dither.lengthen(interval)
    case .asking, .standardDevice:
      (state, next) = (.standardDevice, nil)
      return .standardDevice
    }
    lastRequest = now
    return .request
  }

  /// Records that the request that was due has left.
  ///
  /// - Parameter instant: the transmit stamp of the request.
  mutating func requestSent(at instant: Instant) {
    requests.open(stamp: instant.nanoseconds, at: instant)
    firstRequest = firstRequest ?? instant
    unanswered = unanswered.map { ($0.count + 1, $0.first) } ?? (1, instant)
  }

  /// See ``RTPMIDI/Endpoint/isUnanswered(_:at:)``.
  func isUnanswered(at now: Instant) -> Bool {
    unanswered.map { $0.count >= 3 && now - $0.first >= .milliseconds(500) } ?? false
  }

  /// Records that the peer has used the peer protocol: it has sent a request, an acknowledgement, an RTP packet with a send instant, or
  /// a proof of the passkey.
  ///
  /// - Returns: whether the state was *standard device* until now.
  mutating func peerUsedProtocol(at now: Instant) -> Bool {
    switch state {
    case .asking(let tries, let evidence):
      state = .asking(tries: tries, .use)
      // The next request is brought forward, because such a peer gets ten requests per second at first.
      if evidence != .use, let due = next, due > now + .milliseconds(100) { next = now + .milliseconds(100) }
    case .standardDevice:
      (state, next) = (.asking(tries: 0, .use), now)
      return true
    case .recognised: break
    }
    return false
  }

  /// Applies the rate limit of the recognised peer, in requests per second; 0 if unspecified.
  mutating func limitRate(to rateLimit: UInt16) {
    guard rateLimit > 0 else { return }
    permittedInterval = Nanoseconds(1_000_000_000 / Int64(rateLimit))
    if let due = next, due < lastRequest + permittedInterval { next = lastRequest + permittedInterval }
  }

  /// Evaluates a reply that arrived at `instant`. The first valid reply recognises the peer.
  ///
  /// - Parameter shortestInterval: the shortest interval between two requests that the number of sessions permits.
  mutating func receive(_ reply: ClockProbe, at instant: Instant, shortestInterval: Nanoseconds) -> ReplyResult {
    if let identity, identity != reply.identity { return .rejected }
    guard requests.close(stamp: reply.origin.nanoseconds) != nil else {
      let age = instant - reply.origin
      guard age >= .zero else { return .rejected }
      if age <= .seconds(10), firstRequest.map({ reply.origin < $0 }) ?? true { return .ofEarlierSession }
      // An origin that no request had can be any number. CLOCK_MONOTONIC is positive.
      let isLate = reply.origin.nanoseconds > 0 && requests.oldest.map { reply.origin < $0 } ?? true
      return isLate ? .late : .rejected
    }
    guard reply.isPlausible(at: instant) else { return .rejected }
    unanswered = nil
    guard !isRecognised else { return .accepted }
    interval = max(interval, shortestInterval)
    (state, next) = (.recognised(identity: reply.identity, since: instant), lastRequest + interval)
    return .recognisesPeer
  }
}
