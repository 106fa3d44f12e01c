import Ensemble
import Logging
import MusicalTime

// What the player reads about external clocks.
extension Peer {
  /// The remedy for an external clock that controls the rhythm of this peer and is silent.
  private static let remedyForSilentClock =
    "connect or start the clock again, offer the role of master (key h), or leave (key q)"

  /// Informs the player that a command is not executed, if an external clock controls the rhythm of this peer.
  ///
  /// - Parameters:
  ///   - subject: what the external clock controls, such as "the tempo".
  ///   - remedy: what the player can do at the clock, unless the clock is silent.
  /// - Returns: whether an external clock controls the rhythm.
  func refuses(_ subject: String, remedy: String, at now: Instant) -> Bool {
    guard let input = core.clocks.leader(of: ensemble) else { return false }
    let state = input.clock.isHeard(at: now) ? "; \(remedy)" : ", which is silent; \(Self.remedyForSilentClock)"
    log.notice("\(subject): follows the external clock \(input.name)\(state)")
    return true
  }

  /// Informs the player of an event of the external clock called `name`.
  func notify(_ event: ClockArbiter.Event, of name: String, at now: Instant) {
    let (text, level): (String, Logger.Level) =
      switch event {
      case .refused(let error): ("cannot start the rhythm yet; \(core.description(of: error))", .notice)
      case .silent:
        if core.clocks.leader(of: ensemble)?.name == name {
          ("sends no ticks; the rhythm continues at the last tempo; \(Self.remedyForSilentClock)", .warning)
        } else {
          ("sends no ticks; connect or start it again", .warning)
        }
      case .heard: ("sends ticks again", .notice)
      case .unplayable:
        ("its tempo is not within 20 to 999 BPM, so the rhythm does not start; change its tempo", .warning)
      case .unused(let used):
        ("not used, because this peer follows \(used); to use \(name), stop the clock of \(used)", .notice)
      case .replaced(let other): ("silent; \(other) is used from now on", .notice)
      case .isBack: ("in session again", .notice)
      case .isGone: ("not in session any longer (trying again); check the device and its network", .warning)
      case .isTuttiPeer:
        ("is a Tutti peer, whose rhythm is followed anyway; remove it from --clock-from", .warning)
      }
    if event == .isGone, lifecycle.isLeaving { return }
    write("external clock \(name): \(text)", level, .clocks, of: name, at: now)
  }
}
