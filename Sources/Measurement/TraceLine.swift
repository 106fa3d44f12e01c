import Foundation
import MusicalTime

/// A line of a trace after its header.
enum TraceLine {
  case tick(TraceTick)
  case summary(TraceSummary)

  /// What is wrong with a line.
  struct Fault: Error { let reason: String }

  /// - Throws: ``Fault`` or `DecodingError`.
  init(_ line: ArraySlice<UInt8>) throws {
    // Nearly every line is a tick as this program writes it; those of others take the long way.
    var scanner = TickScanner(line)
    let members = try scanner.scan() ?? JSONDecoder().decode(Members.self, from: Data(line))
    if let summary = members.summary {
      self = .summary(summary)
      return
    }
    guard let tick = members.tick, let due = members.due, let acted = members.acted else {
      throw Fault(reason: "neither a tick with its instants nor a summary")
    }
    for value in [tick, due, acted, members.offset ?? 0, members.uncertainty ?? 0]
    where value < -TraceTick.limit || value > TraceTick.limit {
      throw Fault(reason: "\(value) is beyond 73 years of nanoseconds")
    }
    self = .tick(
      TraceTick(
        tick: Tick(tick), due: Instant(nanoseconds: due), acted: Instant(nanoseconds: acted),
        offset: members.offset.map { Nanoseconds($0) }, uncertainty: members.uncertainty.map { Nanoseconds($0) }))
  }

  fileprivate struct Members: Decodable {
    var tick: Int64?
    var due: Int64?
    var acted: Int64?
    var offset: Int64?
    var uncertainty: Int64?
    var summary: TraceSummary?
  }

  /// Reads a flat object of whole numbers and nulls without a general JSON parser: a tenth of the time.
  private struct TickScanner {
    private let line: ArraySlice<UInt8>
    private var index: Int

    init(_ line: ArraySlice<UInt8>) {
      self.line = line
      index = line.startIndex
    }

    /// The line's members, or nil when it holds anything but a tick.
    mutating func scan() -> Members? {
      var members = Members()
      guard take("{") else { return nil }
      repeat {
        if take("\"tick\":") {
          members.tick = number()
        } else if take("\"due\":") {
          members.due = number()
        } else if take("\"acted\":") {
          members.acted = number()
        } else if take("\"offset\":") {
          if !take("null") { members.offset = number() }
        } else if take("\"uncertainty\":") {
          if !take("null") { members.uncertainty = number() }
        } else {
          return nil
        }
      } while take(",")
      return take("}") && index == line.endIndex && members.acted != nil ? members : nil
    }

    private mutating func take(_ text: String) -> Bool {
      let end = index + text.utf8.count
      guard end <= line.endIndex, line[index..<end].elementsEqual(text.utf8) else { return false }
      index = end
      return true
    }

    /// A whole number of at most 18 digits; the scan fails behind anything else.
    private mutating func number() -> Int64? {
      let negative = take("-")
      let start = index
      var value: Int64 = 0
      while index < line.endIndex, index - start < 18, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]) {
        value = value * 10 + Int64(line[index] - UInt8(ascii: "0"))
        index += 1
      }
      guard index > start else { return nil }
      return negative ? -value : value
    }
  }
}

extension Error {
  /// What went wrong, in a few words.
  var reason: String {
    switch self {
    case let fault as TraceLine.Fault: fault.reason
    case let error as DecodingError: error.shortReason
    case let error as CocoaError:
      (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.reason ?? error.localizedDescription
    default: (self as NSError).reason
    }
  }
}

extension NSError {
  /// Foundation on Linux gives a system call's errno in its own domain, below the codes it uses itself.
  fileprivate var reason: String {
    domain == NSPOSIXErrorDomain || (1..<200).contains(code)
      ? String(cString: strerror(Int32(code))) : localizedDescription
  }
}

extension DecodingError {
  fileprivate var shortReason: String {
    switch self {
    case .keyNotFound(let key, _): "no \(key.stringValue)"
    // Foundation on Linux says no more when a number does not fit its type.
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "not JSON, or a number that is not whole"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      (context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription)
        .trimmingCharacters(in: CharacterSet(charactersIn: ":. "))
    @unknown default: "not understood"
    }
  }
}
