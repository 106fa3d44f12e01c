import ClockSync
import MIDI
import MusicalTime
public import PeerProtocol
public import RTPMIDI
public import Sending

/// The table of all remote peers, one row per peer.
///
/// A slot is the index of a row and stays valid until ``remove(_:)``. A sorted array contains the slot of each session, a dictionary
/// the slot of each identity. The handling of a packet looks up the slot once. All further access is by slot.
///
/// Real-time: not safe.
public struct Roster: Sendable {
  typealias Slot = Int

  /// An entry of ``members``.
  struct Member: Sendable {
    let identity: Identity
    let slot: Slot
  }

  /// The rows, by slot. An unused slot contains a row without a peer.
  private var rows: [RemotePeer] = []
  /// The slots that can be used for new rows.
  private var unusedSlots: [Slot] = []
  /// The slots of the peers in session, by ascending number of the session: the oldest session first.
  private(set) var sessionSlots: [(session: SessionID, slot: Slot)] = []
  private var slotOfIdentity: [Identity: Slot] = [:]
  /// The Tutti peers in session, by ascending identity.
  private(set) var members: [Member] = []
  /// The slots of the members whose lists contain a page or a device.
  private var slotsWithGuests: Set<Slot> = []
  /// The slots of the members that list a player who has moved to another peer.
  private var slotsWithMoves: Set<Slot> = []
  /// The name of the local peer.
  var localName: String?
  /// Whether a member has the name of the local peer.
  private(set) var isLocalNameShared = false
  /// The number of times that a member has taken a name. The newest value becomes ``RemotePeer/Membership/nameOrder``.
  private var namesTaken: UInt64 = 0

  init() {}

  // MARK: Access

  subscript(slot: Slot) -> RemotePeer {
    @inline(__always) _read { yield rows[slot] }
    @inline(__always) _modify { yield &rows[slot] }
  }

  func slot(of session: SessionID) -> Slot? {
    let index = index(of: session)
    guard index < sessionSlots.count, sessionSlots[index].session == session else { return nil }
    return sessionSlots[index].slot
  }
  func slot(of identity: Identity) -> Slot? { slotOfIdentity[identity] }

  /// The slot of the peer with this identity if it is a member.
  func memberSlot(of identity: Identity) -> Slot? {
    guard let slot = slotOfIdentity[identity], rows[slot].membership != nil else { return nil }
    return slot
  }

  /// The identity of the peer in a slot.
  func identity(_ slot: Slot) -> Identity? { rows[slot].identity }

  /// When the local peer last received something from the peer in a slot; nil if the peer is not a member.
  func lastHeard(_ slot: Slot) -> Instant? { rows[slot].membership?.lastHeard }

  /// The asymmetry of the network path that the player has set for the peer in a slot.
  func asymmetry(_ slot: Slot) -> Nanoseconds { rows[slot].session?.options.asymmetry ?? .zero }

  /// The 99th percentile of the delay of packets to the peer in a slot; nil if it is not known.
  func delay(to slot: Slot) -> Nanoseconds? { rows[slot].session == nil ? nil : rows[slot].delay.value }

  /// The time from the sending of a change to its sound on the slowest web page of a member: the delay that the member reports for
  /// its page, plus the 99th percentile of the packet delay to the member. Zero if no member reports such a delay.
  var pageDelay: Nanoseconds {
    var longest = Nanoseconds.zero
    for member in members {
      guard let delay = rows[member.slot].membership?.presence?.page.delay, delay > .zero else { continue }
      longest = max(longest, delay + (self.delay(to: member.slot) ?? .zero))
    }
    return longest
  }

  /// The TCP port of the web page that the Tutti peer with this identity reports; nil if it reports none or is not in session.
  public func pagePort(of identity: Identity) -> UInt16? {
    memberSlot(of: identity).flatMap { rows[$0].membership?.presence?.page.port }
  }

  /// The channel that the peer in a slot claims, if `owners` (``ChannelClaims/owners(in:)``) contains the peer as its owner.
  func channel(_ slot: Slot, owners: [Identity?]) -> Channel? {
    guard let channel = rows[slot].membership?.presence?.channel, owners[Int(channel.wire)] == rows[slot].identity
    else { return nil }
    return channel
  }

  /// Whether the peer in a slot is known to admit notes of the local player.
  func admitsNotes(_ slot: Slot) -> Bool { rows[slot].membership?.presence?.gates[.notes] == true }

  /// Forgets the clock offsets that were reported to the receiver.
  ///
  /// - Returns: the sessions whose offset had been reported.
  mutating func forgetReportedOffsets() -> [RemotePeer.Session] {
    var sessions: [RemotePeer.Session] = []
    for slot in rows.indices where rows[slot].session?.reportedOffset != nil {
      rows[slot].session!.reportedOffset = nil
      sessions.append(rows[slot].session!)
    }
    return sessions
  }

  func containsMember(_ identity: Identity) -> Bool { memberSlot(of: identity) != nil }

  /// Whether the local peer hears the member with this identity itself, not through another one.
  func isDirect(_ identity: Identity) -> Bool { memberSlot(of: identity).map { rows[$0].relay == nil } ?? false }

  /// Whether any peer in session gets messages ahead of time: a Tutti peer, a peer that is not recognised yet, or a device that plays by
  /// time stamps or whose clock is earlier by an offset.
  var needsLead: Bool {
    sessionSlots.contains { _, slot in
      guard let session = rows[slot].session else { return false }
      let options = session.options
      return session.kind != .standardDevice || options.playsByStamps == true || options.clockOffset ?? .zero < .zero
    }
  }

  /// The number of sessions.
  public var sessionCount: Int { sessionSlots.count }

  /// All sessions, oldest first.
  public var sessions: [RemotePeer.Session] { mapSessions { $0.session! } }

  /// Calls `transform` with the row of each peer in session, oldest session first, and returns the results. A row has several
  /// kilobytes, so the function does not copy the rows.
  public func mapSessions<Value>(_ transform: (borrowing RemotePeer) -> Value) -> [Value] {
    let rows = rows.span
    return sessionSlots.map { transform(rows[$0.slot]) }
  }

  /// The peer of a session.
  public subscript(session: SessionID) -> RemotePeer? { slot(of: session).map { rows[$0] } }

  /// The peer with this identity.
  public subscript(identity: Identity) -> RemotePeer? { slotOfIdentity[identity].map { rows[$0] } }

  public func contains(_ session: SessionID) -> Bool { slot(of: session) != nil }

  /// The session with the Tutti peer of this identity.
  public func session(of identity: Identity) -> SessionID? {
    slotOfIdentity[identity].flatMap { rows[$0].session?.id }
  }

  /// The RTP stream to the peer of a session.
  public func stream(of session: SessionID) -> StreamID? { slot(of: session).flatMap { rows[$0].session?.stream } }

  /// The RTP stream to the Tutti peer of this identity.
  public func stream(of identity: Identity) -> StreamID? {
    slotOfIdentity[identity].flatMap { rows[$0].session?.stream }
  }

  /// The identities of the members with a session, in ascending order. A member without a session is heard through another one
  /// (``RemotePeer/relay``), unless an ``EnsembleState`` is used without a ``PeerCore``, as in tests.
  public var identities: [Identity] { members.compactMap { rows[$0.slot].session == nil ? nil : $0.identity } }

  /// The number of implausible time stamps of all peers.
  var stampsRejected: Int { rows.reduce(0) { $0 + $1.clock.rejected } }

  /// The number of times that the clock of a peer was found to have been stepped.
  var clockResets: Int { rows.reduce(0) { $0 + $1.clock.resets } }

  /// Whether the list of a member contains a page or a device.
  var listsGuests: Bool { !slotsWithGuests.isEmpty }
  /// Whether a member lists a player who has moved to another peer.
  var hasMovedPlayers: Bool { !slotsWithMoves.isEmpty }

  // MARK: Changes

  /// Sets the list of the players of the member in a slot.
  mutating func setPlayers(_ list: PlayerList, _ document: Document, of slot: Slot) {
    rows[slot].membership!.players.set(list, document)
    let hasGuests = list.players.contains { $0.player.kind != .local }
    if hasGuests { slotsWithGuests.insert(slot) } else { slotsWithGuests.remove(slot) }
  }

  /// Sets which players on the list of the member in a slot have moved to another peer.
  mutating func setMovedSlots(_ moved: Set<Int>, of slot: Slot) {
    rows[slot].membership!.players.movedSlots = moved
    if moved.isEmpty { slotsWithMoves.remove(slot) } else { slotsWithMoves.insert(slot) }
  }

  /// Adds a row for the peer of a new session, whose identity is not known yet.
  @discardableResult
  mutating func insert(_ session: RemotePeer.Session) -> Slot {
    let slot = takeSlot()
    rows[slot].session = session
    sessionSlots.insert((session.id, slot), at: index(of: session.id))
    return slot
  }

  /// Returns the slot of the peer with this identity; adds a row if there is none.
  mutating func insert(_ identity: Identity) -> Slot {
    if let slot = slotOfIdentity[identity] { return slot }
    let slot = takeSlot()
    rows[slot].identity = identity
    slotOfIdentity[identity] = slot
    return slot
  }

  /// Assigns an identity to the peer of a session. If the identity already has another row, the session moves to that row. The
  /// former session of that row, if there was one, then gets the row without an identity.
  mutating func recognise(_ session: SessionID, as identity: Identity) {
    guard let slot = slot(of: session), rows[slot].identity != identity else { return }
    guard let identitySlot = slotOfIdentity[identity] else {
      rows[slot].identity = identity
      slotOfIdentity[identity] = slot
      return
    }
    let formerSession = rows[identitySlot].session
    (rows[identitySlot].session, rows[slot].session) = (rows[slot].session, formerSession)
    sessionSlots[index(of: session)].slot = identitySlot
    if let formerSession { sessionSlots[index(of: formerSession.id)].slot = slot } else { remove(slot) }
  }

  /// Makes the peer a member, or updates the name of a member.
  ///
  /// - Parameter name: nil leaves the name of a member as it is.
  mutating func join(_ slot: Slot, named name: String?, at now: Instant) {
    guard let identity = rows[slot].identity else { return }
    if rows[slot].membership != nil {
      rows[slot].membership!.hear(at: now)
      guard let name, name != rows[slot].name else { return }
      releaseName(of: slot)
      // Gates can depend on the name, and a presence contains the gates. The next presence is therefore sent without a pause.
      rows[slot].membership!.lastPresented = nil
    } else {
      rows[slot].membership = RemotePeer.Membership(at: now)
      members.insert(Member(identity: identity, slot: slot), at: position(of: identity))
    }
    rows[slot].name = name
    guard let name else { return }
    namesTaken += 1
    let isTaken = members.contains { $0.slot != slot && rows[$0.slot].name == name }
    rows[slot].membership!.nameOrder = namesTaken
    rows[slot].membership!.ownsName = !isTaken
    distinguishNames()
  }

  /// Discards the measurements of all clocks.
  mutating func discardClocks() {
    for slot in rows.indices { (rows[slot].clock, rows[slot].delay) = (RemoteClock(), DelayPercentile()) }
  }

  /// Ends the membership. The row keeps the identity, the name and the clock of the peer, but no session.
  mutating func leave(_ slot: Slot) {
    endMembership(of: slot)
    endSession(of: slot)
  }

  /// Removes a remote peer. No other function removes a row.
  mutating func remove(_ slot: Slot) {
    endMembership(of: slot)
    endSession(of: slot)
    if let identity = rows[slot].identity { slotOfIdentity[identity] = nil }
    rows[slot] = RemotePeer()
    unusedSlots.append(slot)
  }

  /// Returns an unused slot, whose row contains no peer.
  private mutating func takeSlot() -> Slot {
    if let slot = unusedSlots.popLast() { return slot }
    rows.append(RemotePeer())
    return rows.count - 1
  }

  /// Removes the session from a row, and from ``sessionSlots``.
  private mutating func endSession(of slot: Slot) {
    guard let session = rows[slot].session else { return }
    sessionSlots.remove(at: index(of: session.id))
    rows[slot].session = nil
  }

  /// Removes the membership from a row, and the peer from ``members``.
  private mutating func endMembership(of slot: Slot) {
    guard let identity = rows[slot].identity, rows[slot].membership != nil else { return }
    releaseName(of: slot)
    rows[slot].membership = nil
    slotsWithGuests.remove(slot)
    slotsWithMoves.remove(slot)
    rows[slot].distinctName = nil
    members.remove(at: position(of: identity))
    for member in members { rows[member.slot].membership!.gatesForOthers[identity] = nil }
    distinguishNames()
  }

  /// The index of the session in ``sessionSlots``, or the index at which the session must be inserted.
  private func index(of session: SessionID) -> Int {
    var (low, high) = (0, sessionSlots.count)
    while low < high {
      let middle = (low + high) / 2
      if sessionSlots[middle].session.number < session.number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of the identity in ``members``, or the index at which the identity must be inserted.
  private func position(of identity: Identity) -> Int {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      if members[middle].identity < identity { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Names

  /// The name of the peer if it is the first member with this name.
  func ownedName(of identity: Identity) -> String? {
    guard let slot = slotOfIdentity[identity], rows[slot].membership?.ownsName == true else { return nil }
    return rows[slot].name
  }

  /// The name for the user of a peer whose name another peer has too: the name and the first four digits of the identity.
  static func distinctName(_ name: String, _ identity: Identity) -> String {
    "\(name) \(identity.description.prefix(4))"
  }

  /// Gives each member whose name another member or the local peer has too a name of its own for the user. All peers compute the same names.
  private mutating func distinguishNames() {
    var counts: [String: Int] = [:]
    if let localName { counts[localName] = 1 }
    for member in members { if let name = rows[member.slot].name { counts[name, default: 0] += 1 } }
    for member in members {
      let name = rows[member.slot].name
      let isShared = name.flatMap { counts[$0] } ?? 0 > 1
      rows[member.slot].distinctName = isShared ? name.map { Self.distinctName($0, member.identity) } : nil
    }
    isLocalNameShared = localName.flatMap { counts[$0] } ?? 0 > 1
  }

  /// The members with this name, which several can have.
  public func members(named name: String) -> [Identity] {
    members.compactMap { rows[$0.slot].name == name ? $0.identity : nil }
  }

  /// The member that has this ``RemotePeer/distinctName``.
  func member(distinctlyNamed name: String) -> Identity? {
    members.first { rows[$0.slot].distinctName == name }?.identity
  }

  /// Whether a member has this name.
  func hasMember(named name: String) -> Bool { members.contains { rows[$0.slot].name == name } }

  /// Passes the name of the peer on to the next member with the same name.
  private mutating func releaseName(of slot: Slot) {
    guard let name = rows[slot].name, rows[slot].membership?.ownsName == true else { return }
    rows[slot].membership!.ownsName = false
    var next: (slot: Slot, order: UInt64)?
    for member in members where member.slot != slot && rows[member.slot].name == name {
      let order = rows[member.slot].membership!.nameOrder
      if next.map({ order < $0.order }) ?? true { next = (member.slot, order) }
    }
    if let next { rows[next.slot].membership!.ownsName = true }
  }
}
