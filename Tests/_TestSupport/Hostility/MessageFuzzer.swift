internal import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
internal import RTPMIDI
import Simulation

/// A fuzzer of the System Exclusive messages of Tutti, such as ``TimelineMessage`` and ``Presence``. The tested peer is in
/// session with two hostile peers. The hostile peers send valid messages with random or extreme content, and damaged messages.
///
/// After each message, the following invariants are checked:
/// - The number of outputs is bounded.
/// - If the message can be decoded, its encoding is decoded to the same message.
/// - The peer has done all work that is due.
public final class MessageFuzzer: Fuzzer {
  /// An upper bound of the number of outputs that one message, and the work that is due afterwards, cause.
  private static let maximumOutputs = 256

  /// The rhythm that the tested peer plays. The hostile peers request parts of this rhythm, and send false parts.
  private let rhythm = Document(.rhythm, [UInt8](repeating: 7, count: 1500))!
  private let sessions: CoreSessions
  /// The identities in the messages: of the tested peer, of the two hostile peers, and the two extreme values.
  private let identities: [Identity] = [Identity(1), Identity(5), Identity(9), Identity(0), Identity(.max)]
  private var mutator: Mutator
  private var random: SplitMix
  private let seed: UInt64
  private var inputs = 0
  /// The number of messages that could be decoded.
  private var decoded = 0
  /// The largest number of outputs that one message has caused.
  private var largestCount = 0
  private var now = Instant(nanoseconds: 1_000_000_000)
  /// The term of most messages. It increases at random, by one or by up to 2^20.
  private var term: UInt64 = 1

  public init(seed: UInt64) {
    self.seed = seed
    (random, mutator) = (SplitMix(seed: seed), Mutator(seed: seed))
    var sessions = CoreSessions(identity: 1)
    sessions.remotes = [
      .init(host: 2, identity: 5, ahead: .seconds(100)), .init(host: 3, identity: 9, ahead: .seconds(-200)),
    ]
    self.sessions = sessions
    sessions.core.ensemble.play(RhythmChoice(digest: rhythm.digest), document: rhythm, at: now)
    connect()
  }

  public var account: String {
    let state = sessions.core.ensemble
    return """
      decoded \(decoded), rejected \(state.rejected), outputs at most \(largestCount), role \(state.role), \
      own term \(state.ownTerm), peers \(state.roster.sessionCount)
      """
  }

  public func run(inputs count: Int) throws(FuzzFailure) {
    for _ in 0..<count {
      try feed(message())
      inputs += 1
    }
  }

  /// Lets each hostile peer without a session begin a session with the tested peer.
  private func connect() {
    for remote in sessions.remotes where remote.endpoint.establishedCount == 0 {
      try? sessions.invite(remote, at: now)
    }
    _ = sessions.exchange(at: now)
  }

  /// Lets some time pass, and sends a message from a hostile peer to the tested peer. Sometimes, the local player of the tested peer also
  /// enters a command.
  private func feed(_ octets: [UInt8]) throws(FuzzFailure) {
    if pick(100) == 0 { connect() }
    now = now + .milliseconds(Int64(pick(pick(50) == 0 ? 3000 : 20)))
    let core = sessions.core
    guard let session = core.roster.session(of: identities[1 + pick(2)]) else { return connect() }
    // The data octets of System Exclusive messages have seven bits.
    let data = octets.map { $0 & 0x7F }
    try checkCodecs(data)
    core.receive(.systemExclusive(session, stamp: now, arrival: now), systemExclusive: { data }, now: now)
    if pick(50) == 0 { command(core) }
    var count = sessions.exchange(at: now).count
    // After a long time, the work of the peer can make further work due at once. All such work must be done after 16 more exchanges.
    for _ in 0..<16 where core.nextDeadline <= now { count += sessions.exchange(at: now).count }
    largestCount = max(largestCount, count)
    try check(count <= Self.maximumOutputs, "\(count) outputs")
    try check(core.nextDeadline > now, "work due at \(core.nextDeadline) is still pending at \(now)")
  }

  /// Checks the codec with `data`. If `data` can be decoded to a message, the encoding of this message must be decoded to the
  /// same message. The encoding may differ from `data`, because decoding ignores unused bits.
  private func checkCodecs(_ data: [UInt8]) throws(FuzzFailure) {
    guard let message = try? PeerMessage(systemExclusive: data) else { return }
    decoded += 1
    let again = try? PeerMessage(systemExclusive: message.systemExclusive)
    try check(again == message, "\(data) is decoded to a message that is not decoded again")
  }

  /// Executes a random command of the local player.
  private func command(_ core: PeerCore) {
    switch pick(7) {
    case 4: try? core.ensemble.change(mix: mix(), isImmediate: pick(2) == 0, at: now)
    case 5:
      let countIn = CountIn(clicks: pick(17), ticksPerClick: 24) ?? .none
      try? core.ensemble.start(tempo: try Tempo(bpm: 120), countIn: countIn, at: now)
    case 0: try? core.ensemble.start(tempo: try Tempo(bpm: 120), at: now)
    case 1: try? core.ensemble.stop(now: now)
    case 6: try? core.ensemble.askToLead(pick(4) > 0, at: now)
    case 2: core.ensemble.setActivity(UInt8(pick(128)), at: now)
    default: try? core.ensemble.take(at: now)
    }
  }

  /// Returns the octets of the next message. One of four messages is damaged.
  private func message() -> [UInt8] {
    var octets = validMessage()
    // Most damage is behind the first four octets, which contain the ``MessageKind``. If these octets are damaged, the peer decodes hardly
    // any message.
    if pick(4) == 0 { mutator.mutate(&octets, from: pick(3) == 0 ? 0 : 4, splicing: validMessage()) }
    return octets
  }

  /// Returns the octets of a random message of any kind, which can be decoded.
  private func validMessage() -> [UInt8] {
    switch pick(11) {
    case 0...3: timelineMessage().systemExclusive
    case 4...5:
      Presence(
        identity: identity(), claim: pick(3) == 0 ? nil : claim(), channel: pick(2) == 0 ? nil : Channel(1 + pick(16)),
        gates: GateSet(bits: UInt8(pick(16))), takesOver: pick(2) == 0, activity: UInt8(pick(128)),
        asksToLead: pick(2) == 0,
        players: PlayerSummary(
          list: digest(), count: 1 + pick(64), sum: 127 + pick(64 * 127), maximum: UInt8(pick(128))),
        mutedSlots: pick(4) == 0 ? .max : 0,
        rhythm: digest(),
        answer: [.none, .playsItsOwn, .ready(digest() ?? rhythm.digest), .refused(rhythm.digest)][pick(4)],
        page: PageReport(port: UInt16(pick(65536)), delay: .milliseconds(Int64(pick(500)))),
        memberGates: MemberGates(identity(), GateSet(bits: UInt8(pick(16))))
      ).systemExclusive
    case 6:
      DocumentRequest(.rhythm, rhythm.digest, from: UInt16(pick(pick(2) == 0 ? 3 : DocumentPart.maximumCount)))
        .systemExclusive
    case 7:
      DocumentPart(
        pick(4) == 0 ? .players : .rhythm, digest() ?? rhythm.digest, index: UInt16(pick(3)), of: UInt16(1 + pick(3)),
        octets: [UInt8](repeating: UInt8(pick(256)), count: DocumentPart.maximumLength)
      ).systemExclusive
    case 8: Offer(claim: claim(), isParting: pick(2) == 0).systemExclusive
    case 9:
      PhraseMessage(
        from: identity(), to: identity(), stepCount: 16,
        notes: (0...pick(3)).map { _ in
          PhraseMessage.Note(
            step: UInt8(pick(16)), key: UInt8(pick(128)), velocity: UInt8(1 + pick(127)), length: UInt8(1 + pick(32)))
        }
      ).systemExclusive
    default: UsedIdentity(identity()).systemExclusive
    }
  }

  /// A digest: of the rhythm of the tested peer, a random one, or none.
  private func digest() -> DocumentDigest? {
    [nil, rhythm.digest, DocumentDigest(high: random.next(), low: 0)][pick(3)]
  }

  private func timelineMessage() -> TimelineMessage {
    let start = Tick(number())
    let timeline = Timeline(tempo: tempo(), tick: Tick(number()), at: Instant(nanoseconds: number()))
    return TimelineMessage(
      claim: claim(), revision: UInt32(truncatingIfNeeded: number()), start: start,
      end: pick(2) == 0 ? Tick(.max) : Tick(number()), tempo: TempoMap(timeline, changes: changes()),
      countIn: CountIn(clicks: pick(17), ticksPerClick: 6 * (1 + pick(16))) ?? .none,
      mix: pick(3) == 0 ? ChangingValue(mix(), next: mix(), from: Tick(number())) : ChangingValue(mix()),
      fill: pick(3) == 0 ? Tick(number()) : Tick(.max))
  }

  private func changes() -> [TempoChange] {
    (0..<pick(10)).map { TempoChange(tempo: tempo(), tick: Tick(number() + Int64($0))) }
  }

  private func mix() -> Mix {
    var mix = Mix()
    mix.setLevel(pick(101), ofPart: pick(4))
    mix.setPlays(pick(2) == 0, part: pick(4))
    mix.isQuiet = pick(4) == 0
    return mix
  }

  private func claim() -> Claim {
    switch pick(8) {
    case 0: term &+= 1
    case 1: term &+= UInt64(pick(1 << 20))
    case 2: return Claim(term: UInt64(bitPattern: number()), identity: identity())
    default: break
    }
    return Claim(term: term, identity: identity())
  }

  private func identity() -> Identity { identities[pick(identities.count)] }
  /// Returns a random tempo from 20.3 to 999 BPM. A quarter note takes 60 060 060 ns at 999 BPM and about 2 960 000 000 ns at 20.3 BPM.
  private func tempo() -> Tempo { Tempo(nanosecondsPerQuarter: 60_060_060 + Int64(pick(2_900_000_000)))! }

  /// Returns a random number: small, near the present time in nanoseconds, extreme, or any number.
  private func number() -> Int64 {
    switch pick(4) {
    case 0: Int64(pick(100_000))
    case 1: now.nanoseconds + Int64(pick(2_000_000_000)) - 1_000_000_000
    case 2: [0, -1, .max, .min, 1 << 40, -(1 << 40), 1 << 62, -(1 << 62)][pick(8)]
    default: Int64(bitPattern: random.next())
    }
  }

  /// Returns a random number in 0..<count.
  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func check(_ holds: Bool, _ violation: @autoclosure () -> String) throws(FuzzFailure) {
    guard holds else { throw FuzzFailure(violation(), seed: seed, input: inputs) }
  }
}
