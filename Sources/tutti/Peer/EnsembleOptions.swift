import ArgumentParser
import Engine
import Ensemble
import Foundation
import Measurement
import PeerProtocol

/// The options for gates, leadership, activity, hearing and the recipient of notes.
struct EnsembleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accept messages of remote peers (open) or ignore them (closed). RULE is KINDS=open|closed for all peers, or "
        + "PEER:KINDS=open|closed for one, by its name or identity. KINDS is a comma-separated list of rhythm (start, "
        + "stop, tempo), notes, modification (controllers, pitch bend, pressure, programs), activity and all. "
        + "Repeatable. For each kind, the most specific rule applies: one with the identity of the peer, otherwise "
        + "one with its name, otherwise one for all peers. Of equally specific rules, the last one applies. "
        + "(default: all=open)",
      valueName: "RULE"))
  var gate: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the rules of --gate from this file, one per line. A line that begins with # is a comment.",
      valueName: "FILE"))
  var gateFile: String?

  @Option(
    help: ArgumentHelp(
      "Let only the leader PEER (a name or identity) start, stop and change the rhythm. Further peers are its deputies: the first of "
        + "them that is present does this while the leader is absent. If all of them are lost, another peer keeps the rhythm without "
        + "a change until one of them returns. Start every peer with this option, also PEER. It replaces all rules of --gate and "
        + "--gate-file for rhythm. (default: any peer may)",
      valueName: "PEER[,PEER...]"))
  var ledBy: String?

  @Option(
    help: ArgumentHelp(
      "Choose what happens when the master is lost. continue: this peer may replace a master that disappears; if this "
        + "peer leaves as the master, another peer continues the rhythm. stop: this peer never replaces a master that "
        + "disappears; if this peer leaves as the master, the rhythm ends.",
      valueName: "ACTION"))
  var onMasterLoss = MasterLoss.continue

  @Option(
    help: ArgumentHelp(
      "Combine the energies of all players into the total while this peer is the master: their sum (at most 127), mean "
        + "or maximum. (default: sum; mean with more than eight players at the start)", valueName: "METHOD"))
  var totalActivity: TotalActivityRule?

  @Option(
    help: ArgumentHelp(
      "Let the notes of PEER, or of all peers, sound on this device too, with PERCENT of their velocity, 0...100 "
        + "(without PERCENT: 60). PEER is a Tutti peer; notes of other devices sound without --hear. Repeatable. (default: "
        + "none: no notes of other Tutti peers sound here)",
      valueName: "PEER[=PERCENT]|all[=PERCENT]|none"))
  var hear: [String] = []

  @Option(
    help: ArgumentHelp("Send your notes to PEER only. (default: all peers)", valueName: "PEER"))
  var sendTo: String?

  func validate() throws {
    // Only the syntax of the rules is checked, so the gates and the hearing choices are discarded.
    var gates = Gates()
    for rule in gate { try usage { () throws(GateError) in try gates.apply(rule) } }
    if let ledBy, Gates.leaders(ledBy) == nil {
      throw ValidationError("--led-by: a name is missing; give PEER or PEER,PEER, the names or identities of peers")
    }
    var hearing = HearingChoices()
    for rule in hear { try usage { () throws(HearingError) in try hearing.apply(rule) } }
  }

  /// Copies the options to `configuration`.
  ///
  /// - Throws: ``CommandError``, `GateError`, `HearingError`.
  func apply(to configuration: inout PeerConfiguration) throws {
    if let gateFile {
      let text = try readText(
        of: gateFile, "gate file", ifUnreadable: "give --gate-file a readable file",
        ifTooLarge: "give --gate-file a file with one rule per line")
      do throws(GateError) { try configuration.gates.apply(lines: text) } catch {
        throw CommandError("gate file \(gateFile), \(error)", status: .badData)
      }
    }
    // The rules of --gate are applied after the rules of the file, so that a rule of --gate can replace a rule of the file.
    for rule in gate { try configuration.gates.apply(rule) }
    configuration.leaders = ledBy.flatMap { Gates.leaders($0) }
    configuration.masterLoss = onMasterLoss
    configuration.totalActivityRule = totalActivity
    configuration.recipient = sendTo
    for rule in hear { try configuration.hearing.apply(rule) }
  }
}

extension MasterLoss: ExpressibleByArgument {}
extension TotalActivityRule: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
  public static var allValueStrings: [String] { allCases.map { "\($0)" } }
}
