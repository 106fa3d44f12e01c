import Foundation
import MusicalTime

/// A table of onsets as comma-separated values (RFC 4180), the input of `tutti measure players`.
///
/// The first line contains the titles of the columns. The column `player` contains the name of the player, and a column `time_s`,
/// `time_ms`, `time_us` or `time_ns` contains the instant of the onset in this unit. Other columns, empty lines, and lines that begin with
/// `#` are ignored. A comma, a semicolon or a tab separates the fields. The onsets can be in any order.
struct OnsetTable {
  /// The error for a line that is not a row of the table.
  struct InvalidRow: Error {
    let reason: String
    let remedy: String
  }

  private static let remedy = "begin the file with a line such as player,time_ms, and give one onset per line"
  /// The titles of the column of the instants, with the length of the unit in nanoseconds.
  private static let units: KeyValuePairs = [
    "time_s": 1_000_000_000, "time_ms": 1_000_000, "time_us": 1_000, "time_ns": 1,
  ]

  private let separator: Character
  private let playerColumn, timeColumn: Int
  private let unit: Decimal

  /// Reads the titles of the columns.
  ///
  /// - Throws: ``InvalidRow`` if a column is missing, or if the unit of the times is not given.
  init(titles line: String) throws(InvalidRow) {
    separator = line.contains(",") ? "," : line.contains(";") ? ";" : "\t"
    let titles = Self.fields(of: line, separator: separator).map { $0.lowercased() }
    guard let player = titles.firstIndex(of: "player") else {
      throw InvalidRow(reason: "no column \"player\" in the first line", remedy: Self.remedy)
    }
    let times = Self.units.compactMap { title, unit in titles.firstIndex(of: title).map { ($0, unit) } }
    guard let (time, unit) = times.first else {
      let hasTime = titles.contains("time")
      throw InvalidRow(
        reason: hasTime ? "the column \"time\" has no unit" : "no column with the times in the first line",
        remedy: "name the column time_s, time_ms, time_us or time_ns")
    }
    guard times.count == 1 else {
      throw InvalidRow(reason: "several columns with times", remedy: "remove all columns with times but one")
    }
    (playerColumn, timeColumn, self.unit) = (player, time, Decimal(unit))
  }

  /// Returns the player and the instant of a row.
  ///
  /// - Throws: ``InvalidRow`` for a row without a player or a valid time.
  func row(_ line: String) throws(InvalidRow) -> (player: String, instant: Instant) {
    let fields = Self.fields(of: line, separator: separator)
    guard fields.count > max(playerColumn, timeColumn), !fields[playerColumn].isEmpty else {
      throw InvalidRow(reason: "a player or a time is missing", remedy: Self.remedy)
    }
    let text = fields[timeColumn]
    // `Decimal` is exact, but ignores what follows a number. `Double` refuses it.
    guard let rough = Double(text), rough.isFinite, let time = Decimal(string: text) else {
      throw InvalidRow(
        reason: "\"\(text.prefix(20).filter { !$0.isNewline })\" is not a time",
        remedy: "give a number with a decimal point")
    }
    var (exact, rounded) = (time * unit, Decimal())
    NSDecimalRound(&rounded, &exact, 0, .plain)
    guard abs(rounded) <= Decimal(TraceTick.limit) else {
      throw InvalidRow(
        reason: "the time is more than 73 years from the origin", remedy: "give the times relative to a nearer origin")
    }
    return (fields[playerColumn], Instant(nanoseconds: NSDecimalNumber(decimal: rounded).int64Value))
  }

  /// Returns the fields of a line without surrounding spaces. A field in quotes can contain separators, and two quotes for a quote.
  private static func fields(of line: String, separator: Character) -> [String] {
    var (fields, isQuoted) = ([""], false)
    for character in line {
      if character == "\"" {
        isQuoted.toggle()
        // The second of two quotes in a quoted field stands for a quote. It also begins the quotes again.
        if isQuoted, !fields[fields.count - 1].isEmpty { fields[fields.count - 1].append(character) }
      } else if character == separator, !isQuoted {
        fields.append("")
      } else {
        fields[fields.count - 1].append(character)
      }
    }
    return fields.map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

extension PlayerTrace {
  /// Reads the table of onsets at `path` (``OnsetTable``). The force of all actions is 127.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Returns: the players, in the order of their first lines.
  /// - Throws: ``TraceError`` for a file that cannot be read, has no titles, an invalid row, or no onset.
  ///
  /// Real-time: not safe.
  public static func players(
    inTableAt path: String, onOctets: @escaping (Data) -> Void = { _ in }
  ) throws(TraceError) -> [PlayerTrace] {
    var lines = try LineReader(path: path, onOctets: onOctets)
    var table: OnsetTable?
    var (order, actions): ([String], [String: [TraceAction]]) = ([], [:])
    while let octets = try lines.next() {
      // Some programs begin a text file with a byte order mark (EF BB BF).
      let text = lines.number == 1 && octets.starts(with: [0xEF, 0xBB, 0xBF]) ? octets.dropFirst(3) : octets
      let line = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
      guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
      do throws(OnsetTable.InvalidRow) {
        guard let table else {
          table = try OnsetTable(titles: line)
          continue
        }
        let row = try table.row(line)
        if actions[row.player] == nil { order.append(row.player) }
        actions[row.player, default: []].append(TraceAction(at: row.instant, force: 127))
      } catch {
        throw TraceError(file: path, line: lines.number, reason: error.reason, remedy: error.remedy)
      }
    }
    guard !order.isEmpty else {
      throw TraceError(
        file: path, line: nil, reason: "contains no onset",
        remedy: "give a trace, a MIDI file, a recording, or a table with the columns player and time_ms")
    }
    return order.map { PlayerTrace(name: $0, actions: actions[$0]!) }
  }
}
