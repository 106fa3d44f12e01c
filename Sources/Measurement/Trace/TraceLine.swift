import Foundation
import MusicalTime

/// A line of a trace after the header.
enum TraceLine {
  case tick(TraceTick)
  case action(TraceAction)
  case hit(TraceHit)
  case summary(TraceSummary)

  /// The error for a line of valid JSON that has invalid or missing values, or is in the wrong place in the trace.
  struct InvalidLine: Error { let reason: String }

  /// Parses a line.
  ///
  /// - Throws: ``InvalidLine`` or `DecodingError`.
  init(_ line: ArraySlice<UInt8>) throws {
    // Nearly all lines are ticks or hits, as this program writes them. The scanner is fast, but reads only such lines. The JSON
    // decoder reads the other lines.
    var scanner = LineScanner(line)
    let members = try scanner.scan() ?? JSONDecoder().decode(Members.self, from: Data(line))
    if let summary = members.summary {
      self = .summary(summary)
      return
    }
    try members.checkRange()
    if let action = members.action {
      guard let force = members.force, (1...127).contains(force) else {
        throw InvalidLine(reason: "an action without a force of 1...127")
      }
      self = .action(TraceAction(at: Instant(nanoseconds: action), force: UInt8(force)))
      return
    }
    if let hit = members.hit, let step = members.step, let scheduled = members.scheduled,
      let firstFrame = members.firstFrame
    {
      self = .hit(
        TraceHit(
          due: Instant(nanoseconds: hit), step: Instant(nanoseconds: step), scheduled: Instant(nanoseconds: scheduled),
          firstFrame: Instant(nanoseconds: firstFrame)))
      return
    }
    guard let tick = members.tick, let due = members.due, let acted = members.acted else {
      throw InvalidLine(reason: "not a complete tick, hit, action or summary")
    }
    if let activity = members.activity, !(0...127).contains(activity) {
      throw InvalidLine(reason: "activity \(activity) is not 0...127")
    }
    self = .tick(
      TraceTick(
        tick: Tick(tick), due: Instant(nanoseconds: due), acted: Instant(nanoseconds: acted),
        offset: members.offset.map { Nanoseconds($0) }, uncertainty: members.uncertainty.map { Nanoseconds($0) },
        activity: members.activity.map { UInt8($0) }, path: members.path))
  }

  /// The values of a line; nil for missing keys.
  fileprivate struct Members: Decodable {
    var tick: Int64?
    var due: Int64?
    var acted: Int64?
    var offset: Int64?
    var uncertainty: Int64?
    var activity: Int64?
    var action: Int64?
    var force: Int64?
    var summary: TraceSummary?
    // The instants of a tick on its way.
    var woken: Int64?
    var sent: Int64?
    var sentAhead: Int64?
    var masterSent: Int64?
    var received: Int64?
    // The instants of a hit.
    var hit: Int64?
    var step: Int64?
    var scheduled: Int64?
    var firstFrame: Int64?

    enum CodingKeys: String, CodingKey {
      case tick, due, acted, offset, uncertainty, activity, action, force, summary, woken, sent, received, hit, step
      case scheduled
      case sentAhead = "sent_ahead"
      case masterSent = "master_sent"
      case firstFrame = "first_frame"
    }

    /// Checks the numbers that are instants, durations or tick numbers.
    ///
    /// - Throws: ``InvalidLine`` for a magnitude of 2^61 or more (73 years in nanoseconds), because differences could overflow.
    func checkRange() throws {
      func check(_ key: CodingKeys, _ value: Int64?) throws {
        guard let value, value < -TraceTick.limit || value > TraceTick.limit else { return }
        let unit = key == .tick ? "" : " ns (73 years)"
        throw InvalidLine(reason: "\(key.stringValue) is \(value), but its magnitude must be less than 2^61\(unit)")
      }
      try check(.tick, tick)
      try check(.due, due)
      try check(.acted, acted)
      try check(.offset, offset)
      try check(.uncertainty, uncertainty)
      try check(.action, action)
      try check(.woken, woken)
      try check(.sent, sent)
      try check(.sentAhead, sentAhead)
      try check(.masterSent, masterSent)
      try check(.received, received)
      try check(.hit, hit)
      try check(.step, step)
      try check(.scheduled, scheduled)
      try check(.firstFrame, firstFrame)
    }

    /// The instants of a tick on its way.
    var path: TickPath {
      func instant(_ value: Int64?) -> Instant? { value.map { Instant(nanoseconds: $0) } }
      return TickPath(
        woken: instant(woken), sent: instant(sent), sentAhead: instant(sentAhead), masterSent: instant(masterSent),
        received: instant(received))
    }
  }

  /// Parses a flat JSON object of integers and nulls, in a tenth of the time of a general JSON parser.
  private struct LineScanner {
    private let line: ArraySlice<UInt8>
    private var index: Int

    init(_ line: ArraySlice<UInt8>) {
      self.line = line
      index = line.startIndex
    }

    /// Returns the values of the line, or nil if it contains anything but a tick or a hit.
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
        } else if take("\"activity\":") {
          members.activity = number()
        } else if take("\"woken\":") {
          members.woken = number()
        } else if take("\"sent\":") {
          members.sent = number()
        } else if take("\"sent_ahead\":") {
          members.sentAhead = number()
        } else if take("\"master_sent\":") {
          members.masterSent = number()
        } else if take("\"received\":") {
          members.received = number()
        } else if take("\"hit\":") {
          members.hit = number()
        } else if take("\"step\":") {
          members.step = number()
        } else if take("\"scheduled\":") {
          members.scheduled = number()
        } else if take("\"first_frame\":") {
          members.firstFrame = number()
        } else {
          return nil
        }
      } while take(",")
      let isComplete = members.acted != nil || members.firstFrame != nil
      return take("}") && index == line.endIndex && isComplete ? members : nil
    }

    /// Advances past `text` if the rest of the line begins with it. Returns whether it does.
    private mutating func take(_ text: String) -> Bool {
      let end = index + text.utf8.count
      guard end <= line.endIndex, line[index..<end].elementsEqual(text.utf8) else { return false }
      index = end
      return true
    }

    /// Reads an integer of at most 18 digits. Returns nil if there is no digit. If the number is longer or not an integer, the
    /// scan fails at the next character.
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
