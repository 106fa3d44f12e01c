public import PeerProtocol

/// The error for a typed command that cannot be parsed: `command: reason; remedy`.
public struct CommandSyntaxError: Error, CustomStringConvertible {
  public let description: String
}

/// The named arguments of a command: the words of a typed line, or the members of the JSON object that a page sends.
public struct CommandArguments: Decodable {
  /// An argument. Typed arguments are texts. A page must send a number as a JSON number, and a flag as true or false.
  private enum Value: Decodable {
    case text(String)
    case number(Double)
    case flag(Bool)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      self =
        if let flag = try? value.decode(Bool.self) { .flag(flag) } else if let number = try? value.decode(Double.self) {
          .number(number)
        } else { .text(try value.decode(String.self)) }
    }
  }

  private var values: [String: Value]
  /// The typed line; nil for a command of a page.
  private let line: String?

  /// Whether the command was typed. A typed command may give a peer by its name.
  var isTyped: Bool { line != nil }

  /// Decodes a JSON object. A member that is null counts as missing.
  public init(from decoder: any Decoder) throws {
    values = try [String: Value?](from: decoder).compactMapValues { $0 }
    line = nil
  }

  /// Assigns the words of a typed line to the arguments.
  ///
  /// - Parameter parameters: the names of the arguments, separated by spaces. The name with the suffix `...`, or else the last one, takes all
  ///   remaining words. `a|b` is one word that is given as the argument `a` and as the argument `b`.
  init(_ line: String, _ words: some Collection<String>, _ parameters: String) {
    (self.line, values) = (line, [:])
    let names = parameters.split(separator: " ")
    let greedy = names.firstIndex { $0.hasSuffix("...") } ?? names.count - 1
    var rest = Array(words)[...]
    for (index, name) in names.enumerated() where !rest.isEmpty {
      let count = index == greedy ? max(1, rest.count - (names.count - 1 - index)) : 1
      let word = rest.prefix(count).joined(separator: " ")
      rest = rest.dropFirst(count)
      for name in name.split(separator: "|") { values[String(name.prefix { $0 != "." })] = .text(word) }
    }
  }

  /// The error for the line.
  ///
  /// - Parameter reason: the reason and the remedy.
  func error(_ reason: String) -> CommandSyntaxError { CommandSyntaxError(description: "\(line ?? ""): \(reason)") }

  /// The identity of the player that a page gives with the command `player`; nil if there is none.
  public var playerIdentity: Identity? { text("identity").flatMap { Identity($0) }.flatMap { $0.bits == 0 ? nil : $0 } }

  /// Whether the argument is given.
  func has(_ name: String) -> Bool { values[name] != nil }

  func text(_ name: String) -> String? { if case .text(let text) = values[name] { text } else { nil } }

  func number(_ name: String) -> Double? {
    if case .number(let number) = values[name] { return number }
    return isTyped ? text(name).flatMap { Double($0) } : nil
  }

  /// An integer; nil if it is out of `range`. A typed percentage may end with a percent sign.
  func integer(_ name: String, _ range: ClosedRange<Int>) -> Int? {
    let digits = text(name).map { name == "percent" && $0.hasSuffix("%") ? $0.dropLast() : $0[...] }
    let integer = isTyped ? digits.flatMap { Int($0) } : number(name).flatMap { Int(exactly: $0) }
    return integer.flatMap { range.contains($0) ? $0 : nil }
  }

  func flag(_ name: String) -> Bool? {
    if case .flag(let flag) = values[name] { return flag }
    return isTyped ? text(name).flatMap { ["on": true, "off": false][$0] } : nil
  }

  /// The state that a command such as `quiet` or `quiet off` sets. A page gives it as the flag `on`. Nil if it is missing or wrong.
  var isOn: Bool? { isTyped ? ["": true, "off": false][text("off") ?? ""] : flag("on") }

  /// A remote peer. A page must give the identity, because several peers may have the same name.
  func peer(_ name: String) -> String? { isTyped ? text(name) : text(name).flatMap { Identity($0) }.map { "\($0)" } }
}
