import ArgumentParser
import Engine
import Ensemble
import Foundation

/// Who may do what to whom, and what becomes of the rhythm.
struct EnsembleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What the others may do to this peer: KINDS=open|closed for all, PEER:KINDS=open|closed for one, by name or identity. "
        + "Kinds are rhythm, notes, modification, activity, all, with commas between. May be given again.",
      valueName: "RULE"))
  var gate: [String] = []

  @Option(help: ArgumentHelp("A file of such rules, one a line, # before a remark.", valueName: "FILE"))
  var gates: String?

  @Option(
    help: ArgumentHelp(
      "A led session: this peer alone controls the rhythm, by its name or identity. Give the leader its own name.",
      valueName: "PEER"))
  var ledBy: String?

  @Option(
    help:
      "When the master is gone: continue, with the next in line as master, or stop. On the master: when it leaves itself."
  )
  var onMasterLoss = MasterLoss.continue

  @Option(help: "What everybody's activity comes to while this peer is the master: sum, mean or maximum.")
  var total = ActivityRule.sum

  @Option(help: ArgumentHelp("To whom your notes go, by name or identity. Default: to all.", valueName: "PEER"))
  var to: String?

  /// The longest file of rules read.
  private static let largest = 1 << 20

  func validate() throws {
    var scratch = Gates()
    for rule in gate { try usage { () throws(GateFault) in try scratch.apply(rule) } }
  }

  /// What they say of `configuration`.
  ///
  /// - Throws: `EngineError`, `GateFault`.
  func apply(to configuration: inout PeerConfiguration) throws {
    if let gates {
      guard let file = FileHandle(forReadingAtPath: gates), let data = try? file.read(upToCount: Self.largest + 1),
        data.count <= Self.largest
      else { throw EngineError("gates \(gates): cannot be read, or larger than a megabyte; name a file of rules") }
      do throws(GateFault) {
        try configuration.gates.apply(lines: String(decoding: data, as: UTF8.self))
      } catch {
        throw RulesFault(description: "gates \(gates), \(error)")
      }
    }
    for rule in gate { try configuration.gates.apply(rule) }
    configuration.leader = ledBy
    configuration.masterLoss = onMasterLoss
    configuration.activityRule = total
    configuration.addressee = to
  }
}

/// A file of rules that cannot be understood: file, line, reason and remedy.
struct RulesFault: Error, CustomStringConvertible {
  let description: String
}

extension MasterLoss: ExpressibleByArgument {}
extension ActivityRule: ExpressibleByArgument {}
