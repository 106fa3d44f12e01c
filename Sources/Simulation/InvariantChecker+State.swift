import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI

// The memory of the checker. An optional property whose name ends in "Since" is the instant from which a condition has held
// without a break, or nil while the condition does not hold. All instants are true time.
extension InvariantChecker {
  /// The state of one host.
  struct HostState {
    /// The last step that the peer has played, and when.
    var lastStep: (step: PlayedStep, at: Instant)?
    /// The last 64 steps. Step n is at index n modulo 64. An array, because a copy of the state must not copy the steps.
    var recent = Self.noSteps
    private static let noSteps = [StepRecord](repeating: StepRecord(), count: 64)
    /// The steps that have not been compared with the steps of the master yet: one bit for each index of ``recent``.
    var uncompared: UInt64 = 0
    /// The last disturbance: the peer joined, or a partition began or ended.
    var disturbedAt = Instant(nanoseconds: 0)
    /// The role of the peer.
    var role = Role.idle
    /// The beginning of the role.
    var roleSince = Instant(nanoseconds: 0)
    /// Whether the peer has played a step in its previous role.
    var hadPlayed = false
    /// Whether the master of the peer ended the rhythm while the two could reach each other.
    var hasEnded = false
    /// The number of the rhythm that the peer plays; 0 for none. A rhythm keeps its number when another peer takes it over.
    var rhythm = 0
    /// When the peer, while it played a rhythm, last began to follow a rhythm that may have another phase: the rhythm of the
    /// other part of a network, the rhythm of another peer that started, or its former rhythm after a missed tempo change. The
    /// peer then slews slowly to the new phase, so that no jump is audible.
    var phaseChangedAt: Instant?
    /// Since when the steps of the peer have differed from the same steps of its master in the total activity, the hits or the loudness,
    /// although they must be the same.
    var layersDifferSince: Instant?
    /// Since when the steps of the peer have differed from those of its master in the rhythm or the bars.
    var rhythmsDifferSince: Instant?
    /// Since when the peer has not had the rhythm of its master.
    var rhythmMissingSince: Instant?
    /// Since when the peer has been at another place in the score than its master, and since when it has lacked the score.
    var placesDifferSince: Instant?
    var scoreMissingSince: Instant?
    /// Since when the steps of the peer have been out of phase with the steps of its master.
    var outOfPhaseSince: Instant?
    /// Since when the peer should have played with its master and has not played any step.
    var silentSince: Instant?
    /// The notes of other players that are on at this peer, by session (``Holder``).
    var held: [SessionID: Holder] = [:]
    /// The number of elements of ``levels``: 12 intervals of 50 ms, a little more than half a second.
    static let levelCount = 12
    /// The range of the peer's activity in each of the last 12 intervals between two evaluations. A ring buffer.
    var levels = InlineArray<12, ClosedRange<UInt8>>(repeating: 0...0)
    /// The instant at which the peer last disappeared for some or all other peers, and the highest activity with which these peers may
    /// still count it.
    var disappearance = (level: UInt8.min, at: Instant(nanoseconds: 0))
    /// When the player last changed the gates.
    var gatesChanged = Instant(nanoseconds: 0)
    /// Since when the peer has had no channel although one was free.
    var withoutChannelSince: Instant?
    /// Since when the peer, as a master, has had a wrong total activity.
    var wrongSince: Instant?
    /// Since when the peer has followed a master that has disappeared.
    var masterlessSince: Instant?
  }

  /// A step in the memory of the checker.
  struct StepRecord {
    var step = Step(.min)
    /// When the step sounded, in true time.
    var at = Instant(nanoseconds: 0)
    /// The total activity that selected the layers.
    var level: UInt8 = 0
    /// The number of hits. It depends on the fills and on the random choices of the patch.
    var hits: UInt8 = 0
    /// The sum of the velocities of these hits. It also depends on the mix, which sets the levels of the parts.
    var loudness: UInt16 = 0
    var rhythm = RhythmLine(nil)
    var grid = BarGrid(.common)
    var isSilent = false
    var place = ScorePlace(line: .none)
    /// Whether the peer played its own rhythm.
    var isOwn = false
  }

  /// The notes of one remote player that are on at a peer. The remote player is the holder of the keys.
  struct Holder {
    /// The host of the remote player; nil if it is unknown.
    var host: Int?
    /// The keys of notes that have passed the gate of the peer.
    var admitted: Set<UInt8> = []
    /// The keys of notes that sound at the peer.
    var heard: Set<UInt8> = []
    /// When a note of the player first sounded after the peer had identified the player's peer.
    var firstNote: Instant?
    /// The keys of all notes that have passed the gate or sound.
    var keys: Set<UInt8> { admitted.union(heard) }
    /// Since when a note has been on although the player does not hold its key.
    var wrongSince: Instant?
  }

  /// The state of a pair of hosts.
  struct Pair {
    /// Since when both peers have been in session with each other.
    var inSessionSince: Instant?
    /// Since when the network has allowed a session and the peers have not been in session.
    var apartSince: Instant?
    /// Since when both have been masters although their rhythm gates are open to each other.
    var rivalsSince: Instant?
    /// Since when both have had the same channel.
    var sharesChannelSince: Instant?
    /// Whether a missing session was reported.
    var isReported = false
  }
}
