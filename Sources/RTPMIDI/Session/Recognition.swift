import MusicalTime

/// Finds out whether a session's peer is a Tutti peer, and asks it for its clock if so.
///
///     asking ──── reply ────▶ recognised
///       │  ▲
///       │  └── a request from it ──┐
///       └──── none answered ──▶ foreign
///
/// Asking is three requests, at once, after 250 ms and after 1 s, and a verdict after 3 s; a peer that takes the place of a
/// Tutti peer is asked twenty times, every 100 ms. A recognised peer is asked every 20 ms for 60 s, then every 100 ms,
/// less often where it says so (``ClockProbe/pace``); a foreign one never: some stacks log every packet they do not know.
/// A request from the peer proves that it is not foreign: then it is asked until it answers, ten times a second at first
/// and later once, for on a lossy network the rhythm may begin meanwhile. Where there are many sessions each is asked
/// less often (``floor(sessions:)``).
struct Recognition {
  /// How many requests all sessions together send in a second, and take, at most.
  private static let most: Int64 = 1000

  /// The shortest interval between the requests of one session where there are `sessions`.
  static func floor(sessions: Int) -> Nanoseconds { Nanoseconds(1_000_000_000 / most * Int64(sessions)) }

  /// How many requests a second each of `sessions` may send here.
  static func pace(sessions: Int) -> UInt16 { UInt16(max(1, min(50, Int(most) / max(1, sessions)))) }

  private enum State {
    case asking(tries: Int, Evidence)
    case recognised(identity: UInt64, since: Instant)
    case foreign
  }

  /// Of the peer's being a Tutti peer.
  private enum Evidence { case none, place, request }

  private var state = State.foreign
  /// When the next request, or the end of the last one's time, is due.
  private(set) var next: Instant?
  /// Between the requests to a recognised peer, at least; a sixteenth more at most.
  private(set) var interval = Nanoseconds.milliseconds(20)
  /// The shortest that the peer allows.
  private var told = Nanoseconds.zero
  /// When a request was due last.
  private(set) var lastRequest = Instant(nanoseconds: 0)
  private var requests = OutstandingRequests()
  private var dither: Dither

  init(seed: UInt64) { dither = Dither(seed: seed) }

  /// The peer's, once it is recognised.
  var identity: UInt64? {
    if case .recognised(let identity, _) = state { identity } else { nil }
  }
  var isRecognised: Bool { identity != nil }
  /// Whether it is known to be a Tutti peer, if not which: it has shown itself.
  var isTutti: Bool {
    if case .asking(_, .request) = state { true } else { isRecognised }
  }

  enum Step { case request, foreign }

  /// Asks for the first time.
  ///
  /// - Parameter isExpected: whether the peer takes the place of a Tutti peer.
  mutating func begin(at now: Instant, isExpected: Bool) {
    (state, next) = (.asking(tries: 0, isExpected ? .place : .none), now)
  }

  /// What is due at `now`, if anything.
  ///
  /// - Parameter floor: the shortest interval between two requests.
  mutating func advance(to now: Instant, floor: Nanoseconds) -> Step? {
    guard let due = next, due <= now else { return nil }
    switch state {
    case .asking(let tries, .none) where tries < 3:
      state = .asking(tries: tries + 1, .none)
      next = now + max(.milliseconds([250, 750, 2000][tries]), floor)
    case .asking(let tries, let evidence) where evidence == .request || evidence == .place && tries < 20:
      state = .asking(tries: tries + 1, evidence)
      interval = max(.milliseconds(20), floor)
      next = now + max(.milliseconds(tries < 20 ? 100 : 1000), floor)
    case .recognised(_, let since):
      interval = max(.milliseconds(now - since < .seconds(60) ? 20 : 100), floor, told)
      next = now + dither.lengthen(interval)
    case .asking, .foreign:
      (state, next) = (.foreign, nil)
      return .foreign
    }
    lastRequest = now
    return .request
  }

  /// The request that was due has left, with this transmit stamp.
  mutating func hasAsked(at instant: Instant) { requests.open(stamp: instant.nanoseconds, at: instant) }

  /// The peer has done what only Tutti peers do: sent a request, or said when a packet left.
  ///
  /// - Returns: whether it had been taken for a foreign one.
  mutating func hasShownItself(at now: Instant) -> Bool {
    switch state {
    case .asking(let tries, let evidence):
      state = .asking(tries: tries, .request)
      if evidence != .request, let due = next, due > now + .milliseconds(100) { next = now + .milliseconds(100) }
    case .foreign:
      (state, next) = (.asking(tries: 0, .request), now)
      return true
    case .recognised: break
    }
    return false
  }

  /// The recognised peer says how many requests a second it takes; 0 says nothing.
  mutating func obey(pace: UInt16) {
    guard pace > 0 else { return }
    told = Nanoseconds(1_000_000_000 / Int64(pace))
    if let due = next, due < lastRequest + told { next = lastRequest + told }
  }

  /// The peer has sent a reply.
  ///
  /// - Parameter floor: the shortest interval between two requests.
  /// - Returns: whether it is the one that recognises the peer; nil when it answers no open request, bears another identity
  ///   than before, or stamps that cannot be.
  mutating func receive(_ reply: ClockProbe, at instant: Instant, floor: Nanoseconds) -> Bool? {
    if let identity, identity != reply.identity { return nil }
    guard requests.close(stamp: reply.origin.nanoseconds) != nil, reply.isPossible(at: instant) else { return nil }
    guard !isRecognised else { return false }
    interval = max(interval, floor)
    (state, next) = (.recognised(identity: reply.identity, since: instant), lastRequest + interval)
    return true
  }
}

extension ClockProbe {
  /// Whether what it says of the packet from here that it answers or echoes, and that left less than ten seconds
  /// ago, can be when it arrives at `instant`: its sender cannot have kept it longer than the way there and back
  /// took, nor spoken of it before it came. A clock that both read may differ by a millisecond between two processors.
  func isPossible(at instant: Instant) -> Bool {
    let (kept, elapsed) = (transmit - receive, instant - origin)
    guard elapsed >= .zero, elapsed <= .seconds(10) else { return false }
    return kept >= .milliseconds(-1) && kept <= elapsed + .milliseconds(1)
  }
}
