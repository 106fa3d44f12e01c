import ArgumentParser
import Engine
import MusicalTime
import RTPMIDI
import Transports

/// Whom a peer meets on the network, and how it treats them.
struct NetworkOptions: ParsableArguments {
  enum Discovery: String, ExpressibleByArgument, CaseIterable { case connect, announce, off }
  enum Policy: String, ExpressibleByArgument, CaseIterable { case anyone, contacts, none }

  @Option(help: ArgumentHelp("Control port; data go by the one after it. 0 takes any free pair.", valueName: "N"))
  var port: UInt16 = 5004

  @Option(
    help: ArgumentHelp("A peer to connect to, tried until it answers. May be given again.", valueName: "HOST:PORT"))
  var connect: [String] = []

  @Option(
    help:
      "connect: be found by others and connect to the Tutti peers found (by Avahi); announce: be found, connect to nobody; off: neither."
  )
  var discovery = Discovery.connect

  @Option(
    help: "Whose invitations to accept: anyone, the contacts in a file, or none. Your own --connect is not asked.")
  var policy = Policy.anyone

  @Option(
    help: ArgumentHelp(
      "The contacts: lines of `name NAME` and `host HOST`. Default: \(Contacts.standardPath).", valueName: "FILE"))
  var contacts: String?

  @Option(
    help: ArgumentHelp(
      "This peer (its name, HOST or HOST:PORT in numbers) plays by time stamps: send each tick ahead of its time, as Tutti "
        + "peers get it. May be given again, as the next four may.", valueName: "PEER"))
  var stamps: [String] = []

  @Option(
    help: ArgumentHelp("This peer plays on arrival: send each tick at its moment, as others get it.", valueName: "PEER")
  )
  var arrival: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send this peer the recovery journal. Tutti peers get it, others once they have sent one.", valueName: "PEER"))
  var journal: [String] = []

  @Option(help: ArgumentHelp("Never send this peer the recovery journal.", valueName: "PEER"))
  var noJournal: [String] = []

  @Option(
    help: ArgumentHelp(
      "The way to PEER takes MS milliseconds longer than the way back (shorter, if below 0): clocks cannot tell.",
      valueName: "PEER=MS"))
  var asymmetry: [String] = []

  private struct Asymmetry {
    let peer: String
    let milliseconds: Double

    init?(_ argument: String) {
      guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex,
        let milliseconds = Double(argument[argument.index(after: equals)...]), milliseconds.magnitude <= 10_000
      else { return nil }
      (peer, self.milliseconds) = (String(argument[..<equals]), milliseconds)
    }
  }

  func validate() throws {
    for peer in connect { try usage { () throws(TransportError) in try SocketAddress.parts(of: peer) } }
    guard port < .max else { throw ValidationError("--port 65535: leaves no port for the data; give one up to 65534") }
    if contacts != nil, policy != .contacts {
      throw ValidationError("--contacts: goes with --policy contacts; add that, or leave it away")
    }
    if let wrong = asymmetry.first(where: { Asymmetry($0) == nil }) {
      throw ValidationError(
        "--asymmetry \(wrong): not PEER=MS with -10000 to 10000 ms; write for example 192.168.1.20=2.5")
    }
    if let peer = stamps.first(where: arrival.contains) {
      throw ValidationError("--stamps \(peer): is given to --arrival as well; leave one of them away")
    }
    if let peer = journal.first(where: noJournal.contains) {
      throw ValidationError("--journal \(peer): is given to --no-journal as well; leave one of them away")
    }
  }

  /// What they say of `configuration`.
  ///
  /// - Throws: `Contacts.Fault`.
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
    for peer in stamps { configuration.peerOptions[peer].playsByStamps = true }
    for peer in arrival { configuration.peerOptions[peer].playsByStamps = false }
    for peer in journal { configuration.peerOptions[peer].takesJournal = true }
    for peer in noJournal { configuration.peerOptions[peer].takesJournal = false }
    for known in asymmetry.compactMap(Asymmetry.init) {
      configuration.peerOptions[known.peer].asymmetry = Nanoseconds(Int64(known.milliseconds * 1e6))
    }
  }
}
