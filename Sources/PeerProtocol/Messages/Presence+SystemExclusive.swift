import MIDI
import MusicalTime

/// A presence as a System Exclusive message of 181 bytes with F0 and F7.
///
/// The data are 7D 54 03 02 (version 3, kind 2, see ``MessageKind``) and these 153 octets, encoded by ``SevenBit``.
/// Numbers are big-endian.
///
///     octet   length   field
///     0       8        the identity of the sender
///     8       1        flags; bit 0: the sender has a claim; bit 1: it would take over if the master disappeared;
///                      bit 3: one of its players has set the activity; bit 4: it asks the master of the claim to offer it the
///                      rhythm. Other bits are ignored.
///     9       16       the claim: eight octets of term (plus 2^63 if it is kept) and eight octets of identity; all 0
///                      without a claim
///     25      1        the claimed MIDI channel, 2...9 or 11...16; 0 if there is none
///     26      1        the open gates; bit 0: rhythm; bit 1: notes; bit 2: modification; bit 3: activity
///     27      1        the activity, 0...127
///     28      16       the digest of the rhythm; 0 if the sender does not share it
///     44      1        the delay of the sender's web page in units of 10 ms, 0...40: ``PageReport/delay``
///     45      2        the TCP port of the web page to which other pages may move; 0 if they may not: ``PageReport/port``
///     47      1        the answer; 0: none, 1: ready, 2: refused, 3: the sender plays its own rhythm (``RhythmAnswer``)
///     48      16       the digest of the rhythm that the answer names; 0 if it names none
///     64      8        the term of the last run; 0 if the sender is not idle or knows none (``LastRun``)
///     72      4        the tempo of the last run in nanoseconds per quarter note
///     76      16       the digest of the rhythm of the last run; 0 if it was not shared
///     92      16       the digest of the list of the sender's players; 0 if it has only the local player
///     108     1        the number of its players that count in the mean, 1...64
///     109     2        the sum of the energies of its players, at most 64 times 127
///     111     1        the greatest of these energies, 0...127
///     112     8        the muted players of the receiver, one bit per slot: ``mutedSlots``
///     120     8        the number of the presence: ``number``
///     128     8        the identity of a member of the sender; 0 if there is none: ``memberGates``
///     136     1        the gates that are open for this member, with the bits of octet 26; 0 if there is none
///     137     16       the digest of the score that the sender has; 0 if there is none: ``score``
extension Presence {
  static let length = 153

  /// The 179 data octets of the message, without F0 and F7.
  ///
  /// Real-time: not safe.
  public var systemExclusive: [UInt8] {
    var octets = OctetWriter(capacity: Self.length)
    write(to: &octets)
    return MessageKind.presence.wrap(octets)
  }

  /// Appends the ``length`` octets of the presence.
  func write(to octets: inout OctetWriter) {
    octets.put(identity.bits)
    let flags: [(Bool, UInt8)] = [(claim != nil, 1), (takesOver, 2), (hasSetActivity, 8), (asksToLead, 16)]
    octets.put(flags.reduce(UInt8(0)) { $1.0 ? $0 | $1.1 : $0 })
    octets.put(claim ?? Claim(term: 0, identity: Identity(0)))
    octets.put(UInt8(channel?.number ?? 0))
    octets.put(gates.bits)
    octets.put(min(activity, 127))
    octets.put(rhythm)
    octets.put(UInt8(page.delay.count / PageReport.unit.count))
    octets.put(page.port ?? 0)
    let code: UInt8 =
      switch answer {
      case .none: 0
      case .ready: 1
      case .refused: 2
      case .playsItsOwn: 3
      }
    octets.put(code)
    octets.put(answer.digest)
    octets.put(lastRun?.term ?? 0)
    octets.put(UInt32(clamping: lastRun?.tempo.nanosecondsPerQuarter ?? 0))
    octets.put(lastRun?.rhythm)
    octets.put(players.list)
    octets.put(UInt8(clamping: players.count))
    octets.put(UInt16(clamping: players.sum))
    octets.put(players.maximum)
    octets.put(mutedSlots)
    octets.put(number)
    octets.put(memberGates?.identity.bits ?? 0)
    octets.put(memberGates?.gates.bits ?? 0)
    octets.put(score)
  }

  /// Reads ``systemExclusive``. Returns nil for any other message, for values out of range, and for channels that no peer
  /// may claim.
  ///
  /// Real-time: not safe.
  public init?(systemExclusive bytes: [UInt8]) {
    guard var octets = MessageKind.presence.unwrap(bytes, atLeast: Self.length) else { return nil }
    self.init(&octets)
  }

  /// Reads the ``length`` octets of a presence, under the same conditions.
  init?(_ octets: inout OctetReader) {
    identity = Identity(octets.take(UInt64.self))
    let flags = octets.take(UInt8.self)
    let claim = octets.takeClaim()
    let number = Int(octets.take(UInt8.self))
    let gates = octets.take(UInt8.self)
    activity = octets.take(UInt8.self)
    rhythm = octets.takeDigest()
    let pageDelay = Nanoseconds(Int64(octets.take(UInt8.self)) * PageReport.unit.count)
    page = PageReport(port: octets.take(UInt16.self), delay: pageDelay)
    let answer: RhythmAnswer? =
      switch (octets.take(UInt8.self), octets.takeDigest()) {
      case (0, nil): RhythmAnswer.none
      case (1, let digest?): .ready(digest)
      case (2, let digest?): .refused(digest)
      case (3, nil): .playsItsOwn
      case _: nil
      }
    let (term, quarter) = (octets.take(UInt64.self), octets.take(UInt32.self))
    let tempo = Tempo(nanosecondsPerQuarter: Int64(quarter))
    let lastRhythm = octets.takeDigest()
    players = PlayerSummary(
      list: octets.takeDigest(), count: Int(octets.take(UInt8.self)), sum: Int(octets.take(UInt16.self)),
      maximum: octets.take(UInt8.self))
    mutedSlots = octets.take(UInt64.self)
    self.number = octets.take(UInt64.self)
    let (member, openForMember) = (Identity(octets.take(UInt64.self)), octets.take(UInt8.self))
    memberGates = MemberGates(member, GateSet(bits: openForMember))
    score = octets.takeDigest()
    let channel = Channel(number)
    guard flags & 1 == 0 || claim != nil, gates < 16, activity < 128,
      openForMember < 16, memberGates != nil || openForMember == 0,
      number == 0 || channel?.isClaimable == true,
      pageDelay <= PageReport.maximumDelay, let answer,
      (1...PlayerList.maximumCount).contains(players.count), players.maximum < 128,
      players.sum <= 127 * PlayerList.maximumCount, players.maximum <= players.sum,
      term == 0 || Claim.terms.contains(term) && tempo != nil
    else { return nil }
    self.claim = flags & 1 != 0 ? claim : nil
    self.channel = channel
    self.answer = answer
    lastRun = term == 0 ? nil : tempo.map { LastRun(term: term, tempo: $0, rhythm: lastRhythm) }
    self.gates = GateSet(bits: gates)
    takesOver = flags & 2 != 0
    hasSetActivity = flags & 8 != 0
    asksToLead = flags & 16 != 0
  }
}
