import MusicalTime
import Receiving

/// Limits the log lines that others can cause, so that no device on the network can hide the other lines. Lines that say the same of the
/// same subject are counted instead of printed when there are more than five in ten seconds. One line with their number and the last of
/// them follows.
///
/// While a subject causes further lines, the time doubles each time, up to ten minutes. All subjects of a topic together can cause 64
/// lines at once, and then one line per second. The limiter distinguishes at most 32 subjects; of all others, it knows only the topic. Its
/// memory is therefore bounded.
///
/// Real-time: not safe.
struct LineLimiter {
  /// What a line is about. The raw value is part of the line with the number.
  enum Topic: String, CaseIterable {
    case sessions = "sessions"
    case kinds = "the kind of the device"
    case invitations = "invitations"
    case identities = "identities"
    case announcements = "announcements on the network"
    case role = "the role of master"
    case mute = "muted notes"
    case activity = "the activity"
    case channel = "the MIDI channel"
    case clocks = "clocks"
    case problems = "problems"
    case phrases = "phrases"
    case sound = "the sound of your instrument"
    case patches = "received rhythms"
    case pages = "web pages"
  }

  /// The number of lines of one topic and subject that are printed in ``shortestTime``.
  private static let lines = 5
  private static var shortestTime: Nanoseconds { .seconds(10) }
  private static var longestTime: Nanoseconds { .seconds(600) }
  /// The maximum number of subjects.
  private static let maximumSubjects = 32

  private struct Key: Hashable {
    let topic: Topic
    /// Nil stands for all subjects that have no entry.
    let subject: String?
  }

  /// The lines of a topic and subject in the present time.
  private struct Entry {
    var begin: Instant
    var duration = LineLimiter.shortestTime
    var printed = 0
    var counted = 0
    /// The last line that was not printed.
    var last = ""
    var end: Instant { begin + duration }
  }

  private var entries: [Key: Entry] = [:]
  private var budgets: [Topic: MessageBudget] = [:]
  /// The end of the first time that ends.
  private var nextEnd = Instant.distantFuture

  init() {}

  /// Returns whether `line` is printed. If not, it is counted, and ``due(at:)`` reports it.
  ///
  /// - Parameter subject: the name or the address of the device that the line is about, or another text that is the same for all lines of
  ///   a kind.
  mutating func admits(_ line: String, _ topic: Topic, of subject: String, at now: Instant) -> Bool {
    var key = Key(topic: topic, subject: subject)
    if entries[key] == nil, entries.count >= Self.maximumSubjects { key = Key(topic: topic, subject: nil) }
    var entry = entries[key] ?? Entry(begin: now)
    let isPrinted =
      entry.counted == 0 && entry.printed < Self.lines
      && budgets[topic, default: MessageBudget(rate: 1, depth: 64)].admit(at: now)
    // A new subject whose first line is not printed gets no entry, because each entry can cause a line.
    if !isPrinted, entries[key] == nil {
      key = Key(topic: topic, subject: nil)
      entry = entries[key] ?? Entry(begin: now)
    }
    if isPrinted { entry.printed += 1 } else { (entry.counted, entry.last) = (entry.counted + 1, line) }
    entries[key] = entry
    nextEnd = min(nextEnd, entry.end)
    return isPrinted
  }

  /// Returns the lines with the numbers of the lines that were not printed, if the time of their topic and subject has ended.
  mutating func due(at now: Instant) -> [String] {
    guard now >= nextEnd else { return [] }
    return report { $0.end <= now }
  }

  /// Forgets the lines of `topic`, because the local player has given a command. The lines that the command causes are then printed.
  ///
  /// - Returns: the lines with the numbers of the lines that were not printed.
  mutating func begin(_ topic: Topic, at now: Instant) -> [String] {
    let keys = entries.keys.filter { $0.topic == topic }
    guard !keys.isEmpty else { return [] }
    // The present time of these entries ends now.
    for key in keys {
      guard let begin = entries[key]?.begin else { continue }
      entries[key]?.duration = now - begin
    }
    let lines = report { $0.end <= now }
    for key in keys { entries[key] = nil }
    budgets[topic] = nil
    return lines
  }

  /// Returns all lines that ``due(at:)`` would return later.
  mutating func rest() -> [String] { report { _ in true } }

  /// Returns the lines of the entries that satisfy `isDue`. An entry without counted lines ends; any other begins again with the double
  /// duration.
  private mutating func report(_ isDue: (Entry) -> Bool) -> [String] {
    var lines: [String] = []
    for (key, entry) in entries.filter({ isDue($0.value) }).sorted(by: { $0.value.begin < $1.value.begin }) {
      guard entry.counted > 0 else {
        entries[key] = nil
        continue
      }
      let seconds = max(1, Int(entry.duration.seconds.rounded()))
      let subject = key.subject ?? "other devices"
      let count = "\(entry.counted) more \(entry.counted == 1 ? "line" : "lines") about \(key.topic.rawValue)"
      lines.append("\(subject): \(count) in \(seconds) s; the last one: \(entry.last)")
      let duration = min(Nanoseconds(2 * entry.duration.count), Self.longestTime)
      entries[key] = Entry(begin: entry.end, duration: duration)
    }
    nextEnd = entries.values.map(\.end).min() ?? .distantFuture
    return lines
  }
}
