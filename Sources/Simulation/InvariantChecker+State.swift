import Ensemble
import MIDI
import MusicalTime
import RTPMIDI

// The memory of the checker.
extension InvariantChecker {
  /// The state of one host.
  struct HostState {
    /// The last step and its true time.
    var last: (step: PlayedStep, at: Instant)?
    /// The last 64 steps by step number.
    var recent = InlineArray<64, StepRecord>(repeating: StepRecord())
    /// The steps that were not yet compared with the master's, as bits.
    var fresh: UInt64 = 0
    /// The last disturbance: the peer joined, or a partition began or ended.
    var calm = Instant(nanoseconds: 0)
    /// The role and its beginning.
    var role = Role.idle
    var roleSince = Instant(nanoseconds: 0)
    /// Whether the peer has played a step in its previous role.
    var hadPlayed = false
    /// Whether its master ended the rhythm while the two could reach each other.
    var hasEnded = false
    /// The number of the rhythm that the peer plays. 0: none. A rhythm keeps its number when another peer takes it over.
    var rhythm = 0
    /// When the peer, while it played a rhythm, last began to follow a rhythm that may have another phase: the rhythm of the
    /// other part of a network, the rhythm of another peer that started, or its former rhythm after a missed tempo change. The
    /// peer then slews slowly to the new phase, so that no jump is audible.
    var parted: Instant?
    /// Since when its layers have differed from the master's.
    var differs: Instant?
    /// Since when its steps have been out of phase with the master's.
    var strays: Instant?
    var stillSince: Instant?
    /// The keys that other players hold here, by session.
    var held: [SessionID: Holder] = [:]
    /// The range of its activity in each of the last 12 intervals between evaluations.
    var levels = InlineArray<12, ClosedRange<UInt8>>(repeating: 0...0)
    /// The highest of them when the peer last disappeared for some or all other peers, and this instant.
    var behind = (level: UInt8.min, at: Instant(nanoseconds: 0))
    var gatesChanged = Instant(nanoseconds: 0)
    var channelless: Instant?
    /// Since when its total activity as a master has been wrong.
    var wrongSince: Instant?
    /// Since when it has followed a master that has disappeared.
    var orphaned: Instant?
  }

  /// A step in the memory of the checker.
  struct StepRecord {
    var step = Step(.min)
    var at = Instant(nanoseconds: 0)
    var level: UInt8 = 0
  }

  /// The keys that one player holds at a peer.
  struct Holder {
    /// The host of the player.
    var host: Int?
    var keys: Set<UInt8> = []
    /// Since when a key has been held here that the player does not hold.
    var wrongSince: Instant?
  }

  /// The state of a pair of hosts.
  struct Pair {
    /// Since when both peers have been in session with each other.
    var met: Instant?
    /// Since when they could have been in session and were not.
    var apart: Instant?
    /// Since when both have been masters although their rhythm gates are open to each other.
    var rivals: Instant?
    /// Since when both have had the same channel.
    var sharesChannel: Instant?
    /// Whether a missing session was reported.
    var isReported = false
  }
}
