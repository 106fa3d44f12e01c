import Ensemble
import MIDI
import MusicalTime
import Transports

// Clocks from outside: ALSA ports' and RTP-MIDI peers'.
extension Peer {
  /// Those that may be kept, ALSA ports first.
  private var outsideClocks: [ClockArbiter.Candidate] {
    let ports = midi?.sources.map { ClockArbiter.Candidate($0.name, $0.clock, isThere: $0.address != nil) } ?? []
    return ports
      + core.clockPeers.map { ClockArbiter.Candidate($0.name, $0.clock, isThere: $0.session != nil) }
  }

  /// The one that is kept, the first where none is yet; nil where the own clock counts.
  var outsideClock: OutsideClock? {
    let clocks = (midi?.sources.map(\.clock) ?? []) + core.clockPeers.map(\.clock)
    return clocks.first { $0.leads(ensemble) } ?? clocks.first
  }

  var outsideClockName: String {
    let names =
      (midi?.sources.filter { $0.clock.leads(ensemble) }.map(\.name) ?? [])
      + core.clockPeers.filter { $0.clock.leads(ensemble) }.map(\.name)
    return names.first ?? "the outside clock"
  }

  /// A message of an ALSA port whose clock may be kept.
  func keep(_ message: Message, of source: Int, at instant: Instant, now: Instant) {
    guard let said = OutsideClock.Message(message), let name = midi?.sources[source].name else { return }
    if let event = midi?.sources[source].clock.received(said, at: instant, for: &ensemble, now: now) {
      tell(event, of: name)
    }
  }

  /// Notices silence, and sees to it that one clock alone is kept.
  func watchOutsideClocks(at now: Instant) {
    for n in midi?.sources.indices ?? 0..<0 {
      if let name = midi?.sources[n].name, let event = midi?.sources[n].clock.advance(to: now) { tell(event, of: name) }
    }
    let clocks = outsideClocks
    guard clocks.count > 1 else { return }
    let (yields, news) = arbiter.look(at: clocks, of: ensemble, now: now)
    if let yields {
      let ports = midi?.sources.count ?? 0
      if yields < ports {
        midi?.sources[yields].clock.yield(&ensemble, now: now)
      } else {
        core.clockPeers[yields - ports].clock.yield(&ensemble, now: now)
      }
    }
    for line in news {
      switch line {
      case .another(let name, let kept): log.notice("\(name) sends a clock too; that of \(kept) is kept")
      case .taken(let name, let silent): log.notice("\(silent) is silent: the clock of \(name) is kept from now on")
      }
    }
  }

  func tell(_ event: OutsideClock.Event, of name: String) {
    switch event {
    case .refused(let refusal): log.notice("\(name) has started, but \(self.name(of: refusal))")
    case .silent: log.warning("\(name) sends no clock; the rhythm goes on at its last tempo")
    case .heard: log.notice("\(name) sends clock again")
    case .unplayable: log.warning("\(name) runs at no tempo from 20 to 999 BPM, so nothing is played")
    }
  }
}
