import MusicalTime

/// The sessions of an ``Endpoint``, indexed by the fields by which a datagram refers to them, and sorted by deadline.
///
/// The table also contains *candidates* and *revivals*. A candidate is a session whose peer has not proved yet that it
/// receives at its address (``Candidacy``). A revival is an invitation to the peer of an established session that has been
/// silent for ``Supervision/silenceLimit``. If the peer accepts the invitation, the revival becomes a session and replaces
/// the silent one.
///
/// The table is a class. An access to one of its containers then is an access to this container only, not to the whole table. The values
/// that are read for every packet are properties of their own.
final class SessionTable {
  /// The fields by which a datagram refers to an established session: the SSRC and the address of the sender, and the
  /// port on which the datagram arrived.
  struct Source: Hashable {
    let ssrc: UInt32
    let address: SocketAddress
    let port: Port
  }

  /// The sessions in order of creation, so that equal inputs give equal outputs. Without revivals and candidates.
  private(set) var all: [Session] = []
  /// The sessions, revivals and candidates in the order of their deadlines.
  private var deadlines = Deadlines()
  /// The earliest deadline of ``deadlines``.
  private(set) var earliestDeadline: Instant?
  /// The sessions and candidates.
  private var ids: [SessionID: Session] = [:]
  /// The sessions, revivals and candidates, by ``Session/token``.
  private var tokens: [UInt32: Session] = [:]
  /// The sessions, by the address of the remote control port. A revival or a candidate is added when it is established.
  /// The session that it replaces is removed before.
  private var controls: [SocketAddress: Session] = [:]
  /// The established sessions, each under the sources of its control port and of its data port.
  private var sources: [Source: Session] = [:]
  /// The sessions and revivals whose invitation is accepted on the control port but not yet on the data port. The key is
  /// the source that the data packets of the peer will have.
  private var awaited: [Source: Session] = [:]

  /// The candidates in the order of their creation. They are not in ``all``.
  private(set) var candidates: [Session] = []
  /// The candidates, each under the sources of its control port and of its data port.
  private var candidateSources: [Source: Session] = [:]

  /// The number of established sessions. Each has two sources.
  private(set) var establishedCount = 0

  /// The session with the earliest deadline.
  var due: Session? { deadlines.first }
  /// The number of sessions, revivals and candidates with a deadline.
  var waitingCount: Int { deadlines.count }
  /// The session that was found last by its identifier. Consecutive accesses mostly concern one session, and need no hash value then.
  private var found: Session?

  subscript(id: SessionID) -> Session? {
    if let found, found.id == id { return found }
    let session = ids[id]
    if session != nil { found = session }
    return session
  }
  subscript(source: Source) -> Session? { sources[source] }
  func session(withToken token: UInt32) -> Session? { tokens[token] }
  func session(at control: SocketAddress) -> Session? { controls[control] }
  func candidate(from source: Source) -> Session? { candidateSources[source] }
  func session(awaitedFrom source: Source) -> Session? { awaited[source] }

  /// Inserts a new session.
  func insert(_ session: Session) {
    all.append(session)
    ids[session.id] = session
    controls[session.control] = session
    tokens[session.token] = session
  }

  /// Inserts a revival. Until its invitation is accepted, it is found by its token only.
  func insert(revival: Session) { tokens[revival.token] = revival }

  /// Inserts a candidate. It replaces an earlier one with the same SSRC and address.
  func insert(candidate: Session) {
    for source in candidate.sources {
      if let earlier = candidateSources[source] { remove(earlier) }
    }
    candidates.append(candidate)
    ids[candidate.id] = candidate
    tokens[candidate.token] = candidate
    for source in candidate.sources { candidateSources[source] = candidate }
  }

  /// Records that the invited peer has accepted on the control port. ``session(awaitedFrom:)`` then finds the session.
  func awaitPackets(of session: Session) {
    // The SSRC of the data port is not known yet. It is normally that of the control port.
    let source = Source(ssrc: session.controlSSRC, address: session.data, port: .data)
    awaited[source] = session
    session.awaitedSource = source
  }

  /// Reverts ``awaitPackets(of:)``.
  private func stopAwaitingPackets(of session: Session) {
    if let source = session.awaitedSource, awaited[source] === session { awaited[source] = nil }
    session.awaitedSource = nil
  }

  /// Records that a session, a revival or a candidate is established. A revival or a candidate becomes a session. A candidate must have
  /// been removed before.
  func establish(_ session: Session) {
    stopAwaitingPackets(of: session)
    if ids[session.id] == nil { insert(session) }
    for source in session.sources { sources[source] = session }
    establishedCount = sources.count / 2
  }

  /// Removes a session, a revival or a candidate.
  func remove(_ session: Session) {
    if found === session { found = nil }
    deadlines.remove(session)
    earliestDeadline = deadlines.earliest
    stopAwaitingPackets(of: session)
    tokens[session.token] = nil
    // A revival is neither in `ids` nor in the containers below.
    guard ids.removeValue(forKey: session.id) != nil else { return }
    if session.candidacy != nil {
      candidates.removeAll { $0 === session }
      for source in session.sources where candidateSources[source] === session { candidateSources[source] = nil }
      return
    }
    all.removeAll { $0 === session }
    if controls[session.control] === session { controls[session.control] = nil }
    for source in session.sources where sources[source] === session { sources[source] = nil }
    establishedCount = sources.count / 2
  }

  /// Updates the deadline of a session, a revival or a candidate. Called after every change that can affect the deadline.
  func schedule(_ session: Session) {
    let deadline = session.deadline
    guard session.heapIndex == nil || deadline != session.scheduledDeadline else { return }
    deadlines.schedule(session, at: deadline)
    earliestDeadline = deadlines.earliest
  }
}

extension Session {
  /// The sources of the packets from the remote control port and data port.
  fileprivate var sources: [SessionTable.Source] {
    [
      SessionTable.Source(ssrc: controlSSRC, address: controlSource, port: .control),
      SessionTable.Source(ssrc: ssrc, address: data, port: .data),
    ]
  }
}
