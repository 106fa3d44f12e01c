import Ensemble
import MIDI
import MusicalTime
import RTPMIDI

// What an inspector remembers of those in the room.
extension Inspector {
  /// What is known of one host.
  struct Watched {
    /// The step heard last, and when in true time.
    var last: (step: Sounded, at: Instant)?
    /// The steps heard lately, by their numbers.
    var recent = InlineArray<64, Heard>(repeating: Heard())
    /// Which of them have not been looked at yet, a bit for each.
    var fresh: UInt64 = 0
    /// Before this nothing was as it should be for it: it came, or the network was divided or healed.
    var calm = Instant(nanoseconds: 0)
    /// Since when it has followed its master, or been master.
    var role = Role.idle
    var roleSince = Instant(nanoseconds: 0)
    /// Whether it has heard a step in the role before that.
    var hadPlayed = false
    /// Whether its master came to the end of the rhythm while the two could hear each other.
    var hasEnded = false
    /// Which of all rhythms ever started it plays, 0: none. It stays the same where another takes it over.
    var rhythm = 0
    /// When it last came, with something playing, to what need not be in phase with it: the rhythm of the other half of a
    /// network, or of another who started, or the one it played without a change of tempo that it had missed. From there it
    /// goes slowly, as nobody may hear a jump, whether the network was ever divided or not.
    var parted: Instant?
    /// Since when its layers differ from the master's.
    var differs: Instant?
    /// Since when its steps are not where the master's are.
    var strays: Instant?
    var stillSince: Instant?
    /// Who holds which keys here, by session.
    var held: [SessionID: Holder] = [:]
    /// Its own levels of late, those from each look to the next.
    var levels = InlineArray<12, ClosedRange<UInt8>>(repeating: 0...0)
    /// The highest of them when it vanished last, from some of the others or from all.
    var behind = (level: UInt8.min, at: Instant(nanoseconds: 0))
    var gatesChanged = Instant(nanoseconds: 0)
    var channelless: Instant?
    /// Its master's total is wrong since then.
    var wrongSince: Instant?
    /// Since when it has followed one who is no more.
    var orphaned: Instant?
  }

  struct Heard {
    var step = Step(.min)
    var at = Instant(nanoseconds: 0)
    var level: UInt8 = 0
  }

  struct Holder {
    /// The player's host.
    var host: Int?
    var keys: Set<UInt8> = []
    /// Since when somebody holds here what its player does not.
    var wrongSince: Instant?
  }

  /// What is known of two hosts.
  struct Pair {
    /// Since when both have been in session with each other.
    var met: Instant?
    /// Since when they could be and are not.
    var apart: Instant?
    var rivals: Instant?
    var sharesChannel: Instant?
    var isTold = false
  }
}
