import Ensemble
import MIDI
import MusicalTime
import RTPMIDI
import Transports

// The outside clock that is kept: an ALSA port's or an RTP-MIDI peer's.
extension Peer {
  /// The clock that is kept, nil where it is the own one.
  var outsideClock: OutsideClock? { member.clockPeer?.clock ?? midi?.source?.clock }

  var outsideClockName: String { member.clockPeer?.name ?? midi?.source?.name ?? "the outside clock" }

  /// A message of the ALSA port whose clock is kept.
  func keep(_ message: Message, at instant: Instant, now: Instant) {
    guard let said = OutsideClock.Message(message) else { return }
    if let event = midi?.source?.clock.received(said, at: instant, for: &ensemble, now: now) { tell(event) }
  }

  /// Notices the silence of the ALSA port's clock.
  func watchOutsideClock(at now: Instant) {
    if let event = midi?.source?.clock.advance(to: now) { tell(event) }
  }

  func tell(_ event: OutsideClock.Event) {
    let name = outsideClockName
    switch event {
    case .refused(let refusal): log.notice("\(name) has started, but \(self.name(of: refusal))")
    case .silent: log.warning("\(name) sends no clock; the rhythm goes on at its last tempo")
    case .heard: log.notice("\(name) sends clock again")
    case .unplayable: log.warning("\(name) runs at no tempo from 20 to 999 BPM, so nothing is played")
    }
  }
}
