import BasicContainers
import Dispatch
import MusicalTime
import RTPMIDI
import Realtime
import Transports

/// A session that this program begins with one RTP-MIDI peer in order to measure the peer.
///
/// The program takes part as a standard RTP-MIDI device: it sends no rhythm, no notes and no claim.
final class InvitedSession {
  /// A measurement that uses the session.
  protocol Task: AnyObject {
    /// Called when the session is established.
    func established(_ info: SessionInfo, at now: Instant)
    /// Receives a datagram from the data port of the peer, before the session does.
    ///
    /// - Returns: whether the task has processed the datagram. If true, the session does not receive the datagram.
    func receive(_ datagram: Span<UInt8>, from address: SocketAddress, at arrival: Instant) -> Bool
    /// Receives a MIDI message of the peer.
    func receive(_ message: Endpoint.Output)
    /// Performs the actions that are due at `now`, for example sends a request. Called often while the session is established, also
    /// before an action is due. Returns the next instant at which an action is due.
    func advance(to now: Instant) -> Instant
  }

  /// The local ports.
  let ports: PortPair
  private let endpoint = Endpoint(name: "tutti measure", random: SystemRandomNumberGenerator())
  private let address: SocketAddress
  /// The address of the data port of the peer. The data port is the port after the control port.
  private var dataAddress: SocketAddress {
    var data = address
    data.port += 1
    return data
  }
  /// The address of the peer as the user wrote it, for errors.
  private let text: String
  /// Ends ``run(_:seconds:)`` when it is raised.
  private let interruption = Interruption()
  private var info: SessionInfo?

  /// Opens the local ports and resolves the address of the peer.
  ///
  /// - Parameter text: `HOST[:PORT]`, with the control port of the peer. The default port is 5004.
  /// - Throws: `TransportError`.
  init(to text: String) throws {
    self.text = text
    address = try Self.resolve(text)
    ports = try PortPair(port: 0)
  }

  deinit { ports.close() }

  /// Resolves the address of the peer. The C library can wait for a name server for a long time, so a warning tells the user after a second.
  private static func resolve(_ text: String) throws(TransportError) -> SocketAddress {
    let warning = DispatchWorkItem { warn("\(TransportError.unknownHost(text, "no answer from the name server yet"))") }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1), execute: warning)
    defer { warning.cancel() }
    return try SocketAddress(resolving: text)
  }

  /// Invites the peer, runs `task` until Ctrl-C, and ends the session. Shows on `terminal` that the peer is invited. The task shows the
  /// later progress.
  ///
  /// - Parameter seconds: how long the task runs from the beginning of the session; 0: until Ctrl-C.
  /// - Throws: as ``run(_:seconds:)``.
  func measure(_ task: any Task, seconds: Double, _ terminal: Terminal) throws {
    let signals = TerminationSignals { [interruption] in interruption.raise() }
    defer { signals.cancel() }
    terminal.showStatus("inviting \(text)")
    try run(task, seconds: seconds > 0 ? seconds : nil)
    terminal.end()
  }

  /// Invites the peer, runs `task` for `seconds` from the beginning of the session, and ends the session.
  ///
  /// Returns early if ``interruption`` is raised, the session is lost or the peer ends the session.
  ///
  /// - Parameter seconds: nil to run until ``interruption`` is raised.
  /// - Throws: ``CommandError`` if the peer refuses the session or does not answer, or if ``interruption`` is raised before the session begins.
  private func run(_ task: any Task, seconds: Double?) throws {
    var end = Instant.distantFuture
    let id = try endpoint.connect(to: address, data: dataAddress, at: MonotonicClock.now)
    while !interruption.isRaised {
      let now = MonotonicClock.now
      guard now < end else { break }
      endpoint.advance(to: now)
      var next = min(endpoint.nextDeadline ?? .distantFuture, end)
      if info != nil { next = min(next, task.advance(to: now)) }
      guard try handleOutputs(of: task, id, seconds: seconds, end: &end) else { break }
      let wait = min(max((next - MonotonicClock.now).count, 0) / 1_000_000, 100)
      let ready = ports.wait(and: nil, interruption.signal, milliseconds: Int32(wait))
      if ready.control { receive(on: .control, task) }
      if ready.data { receive(on: .data, task) }
      guard try handleOutputs(of: task, id, seconds: seconds, end: &end) else { break }
    }
    // Ends the session with BY. The next call sends the packets.
    endpoint.closeAll(at: MonotonicClock.now)
    _ = try? handleOutputs(of: task, id, seconds: seconds, end: &end)
    guard info != nil || !interruption.isRaised else {
      throw CommandError("\(text): interrupted before the session began; nothing was measured")
    }
  }

  /// Passes the datagrams at a port to the task and to the session.
  private func receive(on port: Datagram.Port, _ task: any Task) {
    var datagram = Datagram()
    // The limit lets the loop meet its deadlines during a flood of datagrams.
    for _ in 0..<256 where ports.receive(on: port, into: &datagram) {
      let octets = datagram.octets.span.extracting(first: datagram.count)
      if port == .data, let info, datagram.from == info.data,
        task.receive(octets, from: datagram.from, at: datagram.at)
      {
        continue
      }
      endpoint.receive(
        octets, from: datagram.from, to: datagram.to, port: port == .control ? .control : .data, at: datagram.at)
    }
  }

  /// Executes the outputs of the endpoint. When the session is established, sets `end` to `seconds` from now, unless `seconds` is nil.
  ///
  /// - Returns: false if the session is lost, or the peer has ended it.
  private func handleOutputs(
    of task: any Task, _ id: SessionID, seconds: Double?, end: inout Instant
  ) throws(CommandError) -> Bool {
    for output in endpoint.drain() {
      switch output {
      case .send(let octets, let to, let from, let port):
        var packet = RigidArray<UInt8>(capacity: octets.count)
        for octet in octets { packet.append(octet) }
        _ = (port == .control ? ports.control : ports.data).send(packet, to: to, from: from)
      case .clockPacket(let session, let to, let from):
        var packet = RigidArray<UInt8>(capacity: ClockPacket.length)
        if endpoint.clockPacket(on: session, sentAt: MonotonicClock.now)?.append(to: &packet) == true {
          _ = ports.data.send(packet, to: to, from: from)
        }
      case .established(id, let info):
        let now = MonotonicClock.now
        self.info = info
        if let seconds { end = now + Nanoseconds(Int64(seconds * 1e9)) }
        task.established(info, at: now)
      case .refused(id):
        throw CommandError(
          "\(text): the peer refuses the session; if it is a Tutti peer, check its --policy and --sessions-per-host")
      // The peer has a passkey, and this program has none (``ProtocolExtension/mark``).
      case .hasOtherMark(id, _):
        throw CommandError(
          "\(text): the peer has a passkey, so it refuses the session; restart it with --admit and the "
            + "address of this machine")
      case .reflected(id):
        throw CommandError("\(text): the address of this program itself; give the address of another peer")
      case .unreachable(id):
        throw CommandError(
          "\(text): no answer to twelve invitations; check that an RTP-MIDI peer uses this control port and "
            + "that no firewall drops UDP")
      case .lost(id), .closed(id): return false
      case .message: task.receive(output)
      default: break
      }
    }
    return true
  }
}
