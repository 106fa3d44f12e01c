import MusicalTime

/// Finds out whether a session's peer is a Tutti peer, and compares clocks with it if so.
///
///     asking ──── reply ────▶ recognised
///       │  ▲
///       │  └── a request from it ──┐
///       └──── none answered ──▶ foreign
///
/// Asking is three requests, at once, after 250 ms and after 1 s, and a verdict after 3 s; a peer that takes the place of a
/// Tutti peer is asked twenty times, every 100 ms. A recognised peer is asked every 50 ms for 1 s, then every 100
/// ms; a foreign one never: some stacks log every packet they do not know. A request from the peer proves that it is
/// not foreign: then it is asked until it answers, ten times a second at first and later once, for on a lossy network the
/// rhythm may begin meanwhile. Where there are many sessions each is asked less often (``floor(sessions:number:)``).
struct Recognition {
  /// The shortest interval between the requests of one session where there are `sessions`: all together ask at most
  /// 2000 times a second. It is up to an eighth longer by the session's number, so that those that began together do not
  /// go on asking at one moment.
  static func floor(sessions: Int, number: UInt64) -> Nanoseconds {
    let shortest = 500_000 * Int64(sessions)
    return Nanoseconds(shortest + shortest / 512 * Int64(number % 64))
  }

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
  /// Between the requests to a recognised peer.
  private(set) var interval = Nanoseconds.milliseconds(100)
  private var requests = OutstandingRequests()

  /// The peer's, once it is recognised.
  var identity: UInt64? {
    if case .recognised(let identity, _) = state { identity } else { nil }
  }
  var isRecognised: Bool { identity != nil }

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
      next = now + max(.milliseconds(tries < 20 ? 100 : 1000), floor)
    case .recognised(_, let since):
      interval = max(.milliseconds(now - since < .seconds(1) ? 50 : 100), floor)
      next = now + interval
    case .asking, .foreign:
      (state, next) = (.foreign, nil)
      return .foreign
    }
    requests.open(stamp: now.nanoseconds, at: now)
    return .request
  }

  /// The peer has sent a request.
  mutating func wasAsked(at now: Instant) {
    switch state {
    case .asking(let tries, let evidence):
      state = .asking(tries: tries, .request)
      if evidence != .request, let due = next, due > now + .milliseconds(100) { next = now + .milliseconds(100) }
    case .foreign: (state, next) = (.asking(tries: 0, .request), now)
    case .recognised: break
    }
  }

  /// The peer has sent a reply.
  ///
  /// - Returns: the exchange, and whether it is the one that recognises the peer; nil when it answers no open request,
  ///   bears another identity than before, or stamps that cannot be.
  mutating func receive(_ reply: ClockProbe, at instant: Instant) -> (exchange: ClockExchange, isFirst: Bool)? {
    var isFirst = true
    if case .recognised(let identity, _) = state {
      guard identity == reply.identity else { return nil }
      isFirst = false
    }
    guard let sent = requests.close(stamp: reply.t1.nanoseconds) else { return nil }
    // It cannot have kept the request longer than the whole exchange took, nor answered before it came.
    let kept = reply.t3 - reply.t2
    guard kept >= .milliseconds(-1), kept <= instant - sent + .milliseconds(1) else { return nil }
    if isFirst {
      (state, next) = (.recognised(identity: reply.identity, since: instant), instant + .milliseconds(50))
    }
    let exchange = ClockExchange(
      sent: sent, remoteReceived: reply.t2, remoteSent: reply.t3, received: instant, resolution: Nanoseconds(1))
    return (exchange, isFirst)
  }
}
