import Measurement

/// One result of `tutti doctor`: the state of one property of the machine.
struct Check: Equatable {
  enum State: String {
    case ok
    /// Timing and sound can be good, but something works less well.
    case note
    /// Timing or sound will suffer.
    case fault = "FAULT"
    /// The machine does not tell.
    case unknown = "not known"
  }

  /// What the user can do.
  struct Remedy: Equatable {
    /// The commands for a shell.
    var commands: [String] = []
    /// What to do after the commands or without them, as sentences.
    var advice: String?
  }

  /// The name of the check in JSON.
  let id: String
  let name: String
  let state: State
  let finding: String
  /// Why the property matters, as one sentence.
  let why: String
  /// Nil if nothing needs to be done.
  let remedy: Remedy?

  init(
    _ id: String, _ name: String, _ state: State, _ finding: String, why: String, remedy: Remedy? = nil
  ) {
    (self.id, self.name, self.state, self.finding, self.why, self.remedy) = (id, name, state, finding, why, remedy)
  }

  /// The width of the terminal.
  static let width = 80
  /// The width of the column with the state.
  static let indent = 11

  /// The check as lines of at most 80 characters. A longer word or command is not broken.
  var lines: [String] {
    let blank = String(repeating: " ", count: Self.indent)
    let width = Self.width - Self.indent
    var lines = "\(name): \(finding)".wrapped(toColumns: width) + why.wrapped(toColumns: width)
    lines = lines.map { blank + $0 }
    lines[0] = state.rawValue + lines[0].dropFirst(state.rawValue.count)
    guard let remedy else { return lines }
    var advice = (remedy.advice?.wrapped(toColumns: width) ?? []).map { blank + $0 }
    // The character `$` marks a command. Advice without a command needs another mark.
    if remedy.commands.isEmpty, !advice.isEmpty { advice[0] = "  remedy:" + advice[0].dropFirst(9) }
    return lines + remedy.commands.flatMap(Self.lines(of:)) + advice
  }

  /// Returns the lines of a command. The shell continues a line that ends with a pipe.
  private static func lines(of command: String) -> [String] {
    let line = "    $ " + command
    guard line.count > width, let pipe = line.range(of: "| ") else { return [line] }
    return [String(line[..<pipe.upperBound].dropLast()), "      " + line[pipe.upperBound...]]
  }

  /// The check as a member of the array `checks` of `--json`.
  var json: JSONObject {
    [
      "id": id, "name": name, "state": state == .unknown ? "unknown" : state.rawValue.lowercased(),
      "finding": finding, "why": why,
      "remedy": remedy.map { ["commands": $0.commands, "advice": $0.advice] as JSONObject },
    ]
  }
}

extension [Check] {
  /// Whether timing or sound will suffer.
  var haveFault: Bool { contains { $0.state == .fault } }

  /// The number of checks with each state, and what they mean, in one line.
  var summary: String {
    let counts: [String] = [(.fault, "fault"), (.note, "note"), (.unknown, "not known"), (.ok, "ok")].compactMap {
      (state: Check.State, word) in
      let count = count { $0.state == state }
      let plural = count > 1 && (state == .fault || state == .note) ? "s" : ""
      return count == 0 ? nil : "\(count) \(word)\(plural)"
    }
    let meaning = haveFault ? "timing or sound will suffer" : "this machine is ready to play"
    return counts.joined(separator: ", ") + ": " + meaning
  }
}

extension String {
  /// The reason in an error or a warning of the form `thing: reason; remedy`.
  var statedReason: String {
    guard let colon = range(of: ": ") else { return self }
    let rest = self[colon.upperBound...]
    return String(rest[..<(rest.range(of: "; ")?.lowerBound ?? rest.endIndex)])
  }

  /// The text as a sentence: with a capital letter and a full stop.
  var asSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
