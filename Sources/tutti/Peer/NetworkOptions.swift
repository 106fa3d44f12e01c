import ArgumentParser
import Engine
import MusicalTime
import RTPMIDI
import Transports

/// Options for connections, discovery and the treatment of single remote peers.
struct NetworkOptions: ParsableArguments {
  enum Discovery: String, ExpressibleByArgument, CaseIterable { case connect, announce, off }
  enum Policy: String, ExpressibleByArgument, CaseIterable { case anyone, contacts, none }

  @Option(help: ArgumentHelp("Use UDP port N for control and N+1 for data; 0 takes any free pair.", valueName: "N"))
  var port: UInt16 = 5004

  @Option(help: ArgumentHelp("Connect to this peer and retry until it answers. Repeatable.", valueName: "HOST:PORT"))
  var connect: [String] = []

  @Option(
    help: ArgumentHelp(
      "Announce this peer by Avahi and connect to the Tutti peers found, only announce it, or neither.",
      valueName: "MODE"))
  var discovery = Discovery.connect

  @Option(
    help: ArgumentHelp(
      "Accept invitations from anyone, from contacts only, or from none. Does not affect --connect.",
      valueName: "POLICY"))
  var policy = Policy.anyone

  @Option(
    help: ArgumentHelp(
      "Read contacts from this file: lines of `name NAME` and `host HOST`. (default: \(Contacts.standardPath))",
      valueName: "FILE"))
  var contacts: String?

  @Option(
    help: ArgumentHelp(
      "Treat PEER (name, HOST or HOST:PORT in numbers) as a time-stamp receiver: send each tick ahead of time. Default "
        + "for Tutti peers. Repeatable, as are the next four options.", valueName: "PEER"))
  var timeStamps: [String] = []

  @Option(
    help: ArgumentHelp(
      "Treat PEER as a play-on-arrival receiver: send each tick when it is due. Default for standard devices.",
      valueName: "PEER"))
  var onArrival: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send PEER the recovery journal. Default for Tutti peers and for devices that have sent a journal.",
      valueName: "PEER"))
  var journal: [String] = []

  @Option(help: ArgumentHelp("Never send PEER the recovery journal.", valueName: "PEER"))
  var noJournal: [String] = []

  @Option(
    help: ArgumentHelp(
      "Allow for a network path to PEER that takes MS milliseconds longer than the path back (negative: shorter).",
      valueName: "PEER=MS"))
  var asymmetry: [String] = []

  /// The value of `--asymmetry`.
  private struct Asymmetry {
    let peer: String
    let milliseconds: Double

    /// Parses PEER=MS. PEER may contain "=".
    init?(_ argument: String) {
      guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex,
        let milliseconds = Double(argument[argument.index(after: equals)...]), milliseconds.magnitude <= 10_000
      else { return nil }
      (peer, self.milliseconds) = (String(argument[..<equals]), milliseconds)
    }
  }

  func validate() throws {
    for peer in connect { try usage { () throws(TransportError) in try SocketAddress.parts(of: peer) } }
    guard port < .max else { throw ValidationError("--port 65535: no port left for data; give 65534 or less") }
    if contacts != nil, policy != .contacts {
      throw ValidationError("--contacts: has no effect without --policy contacts; add it or omit --contacts")
    }
    if let wrong = asymmetry.first(where: { Asymmetry($0) == nil }) {
      throw ValidationError(
        "--asymmetry \(wrong): not PEER=MS with -10000 to 10000 ms; write for example 192.168.1.20=2.5")
    }
    if let peer = timeStamps.first(where: onArrival.contains) {
      throw ValidationError("--time-stamps \(peer): contradicts --on-arrival \(peer); omit one of them")
    }
    if let peer = journal.first(where: noJournal.contains) {
      throw ValidationError("--journal \(peer): contradicts --no-journal \(peer); omit one of them")
    }
  }

  /// Copies the options to `configuration`.
  ///
  /// - Throws: `Contacts.ParseError`.
  func apply(to configuration: inout PeerConfiguration) throws {
    configuration.port = port
    configuration.connect = connect
    configuration.discovery =
      switch discovery {
      case .connect: .connects
      case .announce: .announces
      case .off: .off
      }
    configuration.policy =
      switch policy {
      case .anyone: .anyone
      case .contacts: .contacts(try Contacts(path: contacts ?? Contacts.standardPath))
      case .none: .none
      }
    for peer in timeStamps { configuration.peerOptions[peer].playsByStamps = true }
    for peer in onArrival { configuration.peerOptions[peer].playsByStamps = false }
    for peer in journal { configuration.peerOptions[peer].takesJournal = true }
    for peer in noJournal { configuration.peerOptions[peer].takesJournal = false }
    for path in asymmetry.compactMap(Asymmetry.init) {
      configuration.peerOptions[path.peer].asymmetry = Nanoseconds(Int64(path.milliseconds * 1e6))
    }
  }
}
