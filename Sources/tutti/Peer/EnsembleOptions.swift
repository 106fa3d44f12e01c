import ArgumentParser
import Engine
import Ensemble
import Foundation

/// Options for gates, leadership, activity and the recipient of notes.
struct EnsembleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Open or close gates: KINDS=open|closed for all peers, PEER:KINDS=open|closed for one peer (name or identity). "
        + "KINDS is a comma-separated list of rhythm, notes, modification, activity, all. Repeatable.",
      valueName: "RULE"))
  var gate: [String] = []

  @Option(
    help: ArgumentHelp("Read gate rules from this file: one rule per line, # starts a comment.", valueName: "FILE"))
  var gateFile: String?

  @Option(
    help: ArgumentHelp(
      "Let only this peer control the rhythm (name or identity); on the leader itself, give its own name.",
      valueName: "PEER"))
  var ledBy: String?

  @Option(
    help: ArgumentHelp(
      "When the master disappears: continue with its successor, or stop; on the master, also when it leaves.",
      valueName: "ACTION"))
  var onMasterLoss = MasterLoss.continue

  @Option(
    help: ArgumentHelp(
      "Combine the activity of all peers by this rule while this peer is the master.", valueName: "RULE"))
  var totalActivity = TotalActivityRule.sum

  @Option(
    help: ArgumentHelp("Send notes to this peer only, by name or identity. (default: all peers)", valueName: "PEER"))
  var sendTo: String?

  /// The maximum size of a gate file in octets.
  private static let maximumSize = 1 << 20

  func validate() throws {
    // The gates are discarded. Only the syntax of the rules is checked.
    var gates = Gates()
    for rule in gate { try usage { () throws(GateError) in try gates.apply(rule) } }
  }

  /// Copies the options to `configuration`.
  ///
  /// - Throws: `EngineError`, `GateError`, ``GateFileError``.
  func apply(to configuration: inout PeerConfiguration) throws {
    if let gateFile {
      guard let file = FileHandle(forReadingAtPath: gateFile),
        let data = try? file.read(upToCount: Self.maximumSize + 1), data.count <= Self.maximumSize
      else {
        throw EngineError("gate file \(gateFile): cannot be read or is larger than 1 MiB; give another --gate-file")
      }
      do throws(GateError) {
        try configuration.gates.apply(lines: String(decoding: data, as: UTF8.self))
      } catch {
        throw GateFileError(description: "gate file \(gateFile), \(error)")
      }
    }
    for rule in gate { try configuration.gates.apply(rule) }
    configuration.leader = ledBy
    configuration.masterLoss = onMasterLoss
    configuration.totalActivityRule = totalActivity
    configuration.recipient = sendTo
  }
}

/// A gate file that cannot be parsed: file, line, reason and remedy.
struct GateFileError: Error, CustomStringConvertible {
  let description: String
}

extension MasterLoss: ExpressibleByArgument {}
extension TotalActivityRule: ExpressibleByArgument {}
