import MusicalTime
import PeerProtocol

/// What this peer knows of everybody's activity, and what it has told of it.
struct ActivityExchange: Sendable {
  /// A total as it was told, and when it counts in its master's clock.
  struct Told: Sendable {
    var value: UInt8
    var instant: Instant
    var isRecovered: Bool
  }

  /// This peer's own.
  var level: ActivityLevel
  /// The others', as far as they told it.
  var total = ActivityTotal()

  // As follower.
  /// The own level as the master was told it last, and under which claim.
  var reported: (level: UInt8, claim: Claim)?
  /// The total that the master told last.
  var heard: UInt8?
  /// Totals that came before the rhythm could be played, oldest first, two at most.
  var early: [Told] = []
  /// Whether the change in the schedule's intensity stands where this peer put it, and not where the master told.
  var isGuess = false
  /// The run that the intensity was last looked at for.
  var run: UInt32 = 0

  // As master.
  /// The claim under which totals are decided, and the newest beat decided upon.
  var decided: (claim: Claim, beat: Tick)?
  /// Before this a rhythm taken over goes on as it was: not everybody has told its level.
  var holdsUntil = Instant(nanoseconds: .min)
  /// Before this the total of a rhythm that was taken over from another is what plays.
  var keepsUntil = Instant(nanoseconds: .min)
  /// When the newest total is told again.
  var repeats: [Instant] = []
  /// How often each has been told the total since it follows.
  var informed: [Identity: Int] = [:]

  init(_ level: UInt8) { self.level = ActivityLevel(level) }
}
