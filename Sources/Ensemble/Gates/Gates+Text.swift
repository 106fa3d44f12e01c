public import PeerProtocol
import Text

/// A rule that opens or closes gates. Its text form is `notes=closed` for all peers, or `anna:notes,rhythm=open` for one peer. `all` stands
/// for all four kinds.
///
/// Real-time: not safe.
public struct GateRule: Hashable, Sendable {
  /// The peer, by identity or name; nil: all peers without an exception.
  public let peer: String?
  public let gates: [Gate]
  public let open: Bool

  public init(_ gates: [Gate], open: Bool, for peer: String?) {
    (self.gates, self.open, self.peer) = (gates, open, peer)
  }

  /// Parses the text form.
  ///
  /// - Parameter line: the line number for the error; nil for a rule that is not from a file.
  /// - Throws: ``GateError``.
  public init(_ rule: some StringProtocol, line: Int? = nil) throws(GateError) {
    let rule = Substring(rule)
    func fault(_ reason: String, _ remedy: String) -> GateError {
      GateError(line: line, rule: String(rule), reason: reason, remedy: remedy)
    }
    // Search from the end, because a name may contain "=" and ":".
    guard let equals = rule.lastIndex(of: "=") else {
      throw fault("\"=open\" or \"=closed\" is missing", "write KINDS=open or PEER:KINDS=closed, such as notes=closed")
    }
    switch rule[rule.index(after: equals)...].trimmed {
    case "open": open = true
    case "closed": open = false
    case let word: throw fault("\"\(word)\" is neither open nor closed", "write =open or =closed at its end")
    }
    let colon = rule[..<equals].lastIndex(of: ":")
    // Remote peers have clean names, so the rule must contain one too.
    peer = colon.map { rule[..<$0].cleanName() ?? "" }
    if peer?.isEmpty == true {
      throw fault("no peer before the colon", "write a name or identity there, or remove the colon")
    }
    var kinds: [Gate] = []
    for word in rule[(colon.map { rule.index(after: $0) } ?? rule.startIndex)..<equals].split(
      separator: ",", omittingEmptySubsequences: false)
    {
      if word.trimmed == "all" {
        kinds += Gate.allCases
      } else if let kind = Gate.allCases.first(where: { "\($0)" == word.trimmed }) {
        kinds.append(kind)
      } else {
        let reason = word.trimmed.isEmpty ? "a gate name is missing" : "\"\(word.trimmed)\" is not a gate"
        throw fault(reason, "write rhythm, notes, modification, activity or all")
      }
    }
    gates = kinds
  }
}

// The text form of gates and of the leaders.
extension Gates {
  /// Parses the leaders of a session: names or identities with commas between them, or `anyone`. A peer whose name contains a comma can only be
  /// named by its identity.
  ///
  /// - Returns: the leaders, none for `anyone`; nil if the text is empty or a name is missing.
  public static func leaders(_ text: String) -> [String]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }
    guard !names.contains("") else { return nil }
    return names == ["anyone"] ? [] : names
  }

  /// Applies a rule.
  public mutating func apply(_ rule: GateRule) { for gate in rule.gates { set(gate, open: rule.open, for: rule.peer) } }

  /// Applies a rule in its text form.
  ///
  /// - Throws: ``GateError``; the gates are unchanged then.
  public mutating func apply(_ rule: String) throws(GateError) { apply(try GateRule(rule)) }

  /// Applies the rules of a file, one per line. Empty lines and lines that begin with # are ignored. A rule for all peers does
  /// not change the exceptions of single peers that earlier rules have set.
  ///
  /// - Throws: ``GateError``; the gates are unchanged then.
  public mutating func apply(lines text: String) throws(GateError) {
    var gates = self
    for (n, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let rule = line.trimmed
      if !rule.isEmpty, rule.first != "#" { gates.apply(try GateRule(rule, line: n + 1)) }
    }
    self = gates
  }

  /// The rules that change the gates of `Gates()` into these gates, in order.
  public var rules: [String] {
    // Returns up to two rules for a peer, or for all (nil): one for the open gates, and one for the closed gates.
    func rules(_ peer: String?, _ state: (Gate) -> Bool?) -> [String] {
      [true, false].compactMap { open in
        let kinds = Gate.allCases.filter { state($0) == open }.map { "\($0)" }
        guard !kinds.isEmpty else { return nil }
        return (peer.map { $0 + ":" } ?? "") + kinds.joined(separator: ",") + (open ? "=open" : "=closed")
      }
    }
    let exceptions = exceptions.sorted { $0.key < $1.key }
    return rules(nil) { standard[$0] } + exceptions.flatMap { peer, exception in rules(peer) { exception[$0] } }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
