import MusicalTime

/// The sessions of an ``Endpoint``, found by whatever a datagram names them with, and in the order of their deadlines.
struct SessionTable {
  /// Where an established session's datagrams come from.
  struct Source: Hashable {
    let ssrc: UInt32
    let address: SocketAddress
    let port: Port
  }

  /// In the order of their beginning, so that equal inputs give equal outputs. Revivals are not among them.
  private(set) var all: [Session] = []
  private(set) var deadlines = Deadlines()
  private var ids: [SessionID: Session] = [:]
  /// By the token of the own invitation, revivals too.
  private var tokens: [UInt32: Session] = [:]
  /// By the address of the remote control port: no two have the same.
  private var controls: [SocketAddress: Session] = [:]
  /// The established ones, twice each.
  private var sources: [Source: Session] = [:]
  /// Those that have answered on the control port, by where they will send from when they have on the data port.
  private var awaited: [Source: Session] = [:]

  var establishedCount: Int { sources.count / 2 }

  subscript(id: SessionID) -> Session? { ids[id] }
  subscript(source: Source) -> Session? { sources[source] }
  func session(withToken token: UInt32) -> Session? { tokens[token] }
  func session(at control: SocketAddress) -> Session? { controls[control] }
  func session(awaitedFrom source: Source) -> Session? { awaited[source] }

  /// Puts in a session that begins.
  mutating func insert(_ session: Session) {
    all.append(session)
    ids[session.id] = session
    controls[session.control] = session
    tokens[session.token] = session
  }

  /// Puts in the revival of a session: an invitation, no session yet.
  mutating func insert(revival: Session) { tokens[revival.token] = revival }

  /// The peer that `session` invites has answered on the control port.
  mutating func wait(for session: Session) {
    let source = Source(ssrc: session.controlSSRC, address: session.data, port: .data)
    awaited[source] = session
    session.awaitedSource = source
  }

  private mutating func stopWaiting(for session: Session) {
    if let source = session.awaitedSource, awaited[source] === session { awaited[source] = nil }
    session.awaitedSource = nil
  }

  /// `session`, a revival perhaps, is established.
  mutating func establish(_ session: Session) {
    stopWaiting(for: session)
    if ids[session.id] == nil { insert(session) }
    sources[Source(ssrc: session.controlSSRC, address: session.control, port: .control)] = session
    sources[Source(ssrc: session.ssrc, address: session.data, port: .data)] = session
  }

  /// Takes out a session, or a revival.
  mutating func remove(_ session: Session) {
    deadlines.remove(session)
    stopWaiting(for: session)
    tokens[session.token] = nil
    guard ids.removeValue(forKey: session.id) != nil else { return }
    all.removeAll { $0 === session }
    if controls[session.control] === session { controls[session.control] = nil }
    for source in [
      Source(ssrc: session.controlSSRC, address: session.control, port: .control),
      Source(ssrc: session.ssrc, address: session.data, port: .data),
    ] where sources[source] === session {
      sources[source] = nil
    }
  }

  /// What `session` waits for has changed, or may have.
  mutating func schedule(_ session: Session) { deadlines.schedule(session) }
}
