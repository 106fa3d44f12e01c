import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Transports

// The outside clock that is kept: an ALSA port's or an RTP-MIDI peer's.
extension Peer {
  /// The clock that is kept, nil where it is the own one.
  var outsideClock: OutsideClock? { clockPeer?.clock ?? midi?.source?.clock }

  var outsideClockName: String { clockPeer?.name ?? midi?.source?.name ?? "the outside clock" }

  /// A message of the ALSA port whose clock is kept.
  func keep(_ message: Message, at instant: Instant, now: Instant) {
    guard let said = OutsideClock.Message(message) else { return }
    if let event = midi?.source?.clock.received(said, at: instant, for: &ensemble, now: now) { tell(event) }
  }

  /// A message on a session: of interest if it is the one whose clock is kept.
  ///
  /// - Returns: whether it is.
  func keep(
    _ message: Message, on session: SessionID, stamped stamp: Instant, at arrival: Instant, isRecovered: Bool,
    now: Instant
  ) -> Bool {
    guard clockPeer?.session == session, clockPeer?.isTutti == false else { return false }
    guard let said = OutsideClock.Message(message) else { return false }
    let event = clockPeer?.received(
      said, stamped: stamp, at: arrival, isRecovered: isRecovered, lost: endpoint.statistics(of: session)?.lost ?? 0,
      for: &ensemble, now: now)
    if let event { tell(event) }
    return true
  }

  /// Notices the silence of the outside clock.
  func watchOutsideClock(at now: Instant) {
    if let event = midi?.source?.clock.advance(to: now) { tell(event) }
    if let event = clockPeer?.clock.advance(to: now) { tell(event) }
  }

  /// A session stands: perhaps that with the peer whose clock is kept.
  func clockPeerCame(_ session: SessionID, _ info: SessionInfo<SocketAddress>) {
    guard clockPeer?.address == info.control else { return }
    if clockPeer?.established(session, name: info.name) == true { log.notice("\(outsideClockName) is back") }
  }

  /// A session is over: perhaps that with the peer whose clock is kept.
  func clockPeerLeft(_ session: SessionID) {
    guard clockPeer?.session == session else { return }
    clockPeer?.ended()
    if !isLeaving { log.warning("\(outsideClockName) is gone; it is connected again when it comes back") }
  }

  /// The peer whose clock is to be kept turns out to be a Tutti peer.
  func clockPeerIsTutti(_ session: SessionID, at now: Instant) {
    guard clockPeer?.session == session else { return }
    clockPeer?.recognised(by: &ensemble, at: now)
    log.warning("\(outsideClockName) is a Tutti peer: its rhythm is followed anyway; leave --clock-from away")
  }

  private func tell(_ event: OutsideClock.Event) {
    let name = outsideClockName
    switch event {
    case .refused(let refusal): log.notice("\(name) has started, but \(self.name(of: refusal))")
    case .silent: log.warning("\(name) sends no clock; the rhythm goes on at its last tempo")
    case .heard: log.notice("\(name) sends clock again")
    case .unplayable: log.warning("\(name) runs at no tempo from 20 to 999 BPM, so nothing is played")
    }
  }
}

extension OutsideClock.Message {
  /// Nil for what says nothing of a clock.
  fileprivate init?(_ message: Message) {
    switch message {
    case .clock: self = .clock
    case .start: self = .start
    case .continue: self = .continue
    case .stop: self = .stop
    case .songPosition(let place): self = .songPosition(Step(Int64(place.value)))
    default: return nil
    }
  }
}
