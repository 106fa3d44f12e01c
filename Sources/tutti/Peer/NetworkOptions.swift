import ArgumentParser
import Engine
import MusicalTime
import RTPMIDI
import Transports

/// The options for connections, for discovery, and for individual remote peers.
struct NetworkOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use the UDP ports N and N+1; 0 uses any free pair.", valueName: "N"))
  var port: UInt16 = 5004

  @Option(
    help: ArgumentHelp(
      "Connect to the peer or RTP-MIDI device at this address, and retry until it answers. If a port follows an IPv6 "
        + "address, write the address in brackets: [fd00::20]:5004. Repeatable. (default port: 5004)",
      valueName: "HOST[:PORT]"))
  var connect: [String] = []

  @Option(
    help: ArgumentHelp(
      "Announce this peer on the network through Avahi and connect to the Tutti peers found (connect), only announce "
        + "it (announce), or do neither (off).",
      valueName: "MODE"))
  var discovery = PeerConfiguration.Discovery.connects

  @Option(
    help: ArgumentHelp(
      "Accept connections from any peer (anyone), from the peers in the contacts file (contacts), or from no peer "
        + "(none). The policy also applies to peers that --discovery finds, but not to --connect.",
      valueName: "POLICY"))
  var policy = ConnectionPolicy.Kind.anyone

  @Option(
    help: ArgumentHelp(
      "Read the contacts for --policy contacts from this file. Each line is one contact: `name NAME` admits the peers "
        + "with this name, and `host HOST` the peers on HOST. A line that begins with # is a "
        + "comment. (default: \(ContactFile.standardPath))",
      valueName: "FILE"))
  var contacts: String?

  @Option(
    help: ArgumentHelp(
      "Allow N connections with one machine, 1...1100, then refuse its further invitations. Connections that this peer "
        + "makes to that machine are counted, but never refused. Loopback addresses (127.0.0.0/8, ::1) are "
        + "not limited.",
      valueName: "N"))
  var sessionsPerHost = 8

  @Option(
    help: ArgumentHelp(
      "Read the passkey from this file. Only peers with the same passkey (a group) can then connect. Anyone can still "
        + "read what is sent. `tutti passkey` prints a new passkey.",
      valueName: "FILE"))
  var passkeyFile: String?

  @Flag(help: "Ask for the passkey of the group on the terminal.")
  var passkey = false

  @Option(
    help: ArgumentHelp(
      "Let the RTP-MIDI device at this address connect without the passkey. Requires a passkey. If this peer is to "
        + "connect to the device, give --connect as well. Anyone can forge the packets of the device. Repeatable.",
      valueName: "HOST"))
  var admit: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send PEER each tick ahead of time, with a time stamp that states when the tick is due. In this option and the "
        + "next four, PEER is a name or an IP address, with or without a port as in --connect. All five are "
        + "repeatable. (default: for Tutti peers)",
      valueName: "PEER"))
  var timeStamps: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send PEER each tick only when it is due. Use this for a receiver that ignores time stamps. "
        + "(default: for all RTP-MIDI devices that are not Tutti peers)",
      valueName: "PEER"))
  var onArrival: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send PEER the recovery journal of RTP-MIDI, which replaces lost packets. "
        + "(default: for Tutti peers, and for devices that have sent a journal)",
      valueName: "PEER"))
  var journal: [String] = []

  @Option(help: ArgumentHelp("Never send PEER the recovery journal.", valueName: "PEER"))
  var noJournal: [String] = []

  @Option(
    help: ArgumentHelp(
      "Compensate for a network path to PEER that takes MS milliseconds longer than the path back (negative: shorter). "
        + "(default: 0)",
      valueName: "PEER=MS"))
  var asymmetry: [String] = []

  func validate() throws {
    for peer in connect { try usage { () throws(TransportError) in try SocketAddress.parts(of: peer) } }
    guard port < .max else {
      throw ValidationError("--port 65535: the data port would be 65536, which does not exist; give 65534 or less")
    }
    if contacts != nil, policy != .contacts {
      throw ValidationError("--contacts: has no effect without --policy contacts; add it or omit --contacts")
    }
    // A peer has room for 1100 sessions (`Endpoint.sessionLimit`).
    try check("--sessions-per-host", sessionsPerHost, in: 1...1100, "1 to 1100")
    if passkey, passkeyFile != nil {
      throw ValidationError("--passkey: contradicts --passkey-file; omit one of them")
    }
    if !admit.isEmpty, !passkey, passkeyFile == nil {
      throw ValidationError("--admit: has no effect without a passkey; add --passkey-file, or omit --admit")
    }
    for host in admit { try usage { () throws(TransportError) in try SocketAddress.parts(of: host) } }
    if let wrong = asymmetry.first(where: { NamedTime($0, upTo: 10_000) == nil }) {
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

  /// Copies the options to `configuration`. Reads the passkey from its file or from the terminal.
  ///
  /// - Parameter warn: prints a warning.
  /// - Throws: `TransportError` or ``EngineError``.
  func apply(to configuration: inout PeerConfiguration, warn: (String) -> Void) throws {
    if let key = try PasskeyInput.read(file: passkeyFile, asks: passkey) {
      if key.isShort {
        warn(
          "passkey: has fewer than \(Passkey.recommendedLength) characters, so it can be guessed; `tutti passkey` prints a better one"
        )
      }
      configuration.passkey = try key.groupKey()
      configuration.isPasskeyShort = key.isShort
      configuration.admitted = try admit.flatMap { host in try SocketAddress.all(resolving: host, form: "--admit ") }
    }
    configuration.port = port
    configuration.connect = connect
    configuration.discovery = discovery
    configuration.policy =
      switch policy {
      case .anyone: .anyone
      case .contacts: .contacts(try ContactFile(path: contacts ?? ContactFile.standardPath))
      case .none: .none
      }
    configuration.sessionsPerHost = sessionsPerHost
    for peer in timeStamps { configuration.peerOptions[peer].playsByStamps = true }
    for peer in onArrival { configuration.peerOptions[peer].playsByStamps = false }
    for peer in journal { configuration.peerOptions[peer].takesJournal = true }
    for peer in noJournal { configuration.peerOptions[peer].takesJournal = false }
    for path in asymmetry.compactMap({ NamedTime($0, upTo: 10_000) }) {
      configuration.peerOptions[path.name].asymmetry = path.time
    }
  }
}

/// The value NAME=MS of an option.
struct NamedTime {
  let name: String
  let time: Nanoseconds

  /// Parses NAME=MS. NAME may contain "=".
  ///
  /// - Parameter limit: the largest magnitude in milliseconds.
  init?(_ argument: String, upTo limit: Double) {
    guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex,
      let milliseconds = Double(argument[argument.index(after: equals)...]), milliseconds.magnitude <= limit
    else { return nil }
    (name, time) = (String(argument[..<equals]), Nanoseconds(Int64((milliseconds * 1e6).rounded())))
  }
}

extension PeerConfiguration.Discovery: ExpressibleByArgument {}
extension ConnectionPolicy.Kind: ExpressibleByArgument {}
