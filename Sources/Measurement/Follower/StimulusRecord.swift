public import Foundation
public import MusicalTime

/// A stimulus that was sent, with the instant of each tick.
///
/// In a file, the first line contains the stimulus, the output, the version and the command, and each other line a tick that
/// was sent: `{"sent":NS,"tick":N}`. A file that ends early contains the ticks that were sent until then.
public struct StimulusRecord: Sendable {
  /// The first line of the file.
  public struct Header: Hashable, Sendable, Codable {
    /// The version of the format.
    static let format = 1

    private var format = Header.format
    /// The stimulus.
    public var stimulus: FollowerStimulus
    /// The device to which the clock was sent.
    public var output: String
    /// The instant at which tick 0 was due, nanoseconds of CLOCK_MONOTONIC.
    public var origin: Int64
    /// The version of the program.
    public var version: String
    /// The command line.
    public var command: String

    private enum CodingKeys: String, CodingKey {
      case format = "tutti_stimulus"
      case origin = "origin_ns"
      case stimulus, output, version, command
    }

    /// Creates a header.
    ///
    /// Real-time: not safe.
    public init(stimulus: FollowerStimulus, output: String, origin: Instant, version: String, command: String) {
      (self.stimulus, self.output, self.origin) = (stimulus, output, origin.nanoseconds)
      (self.version, self.command) = (version, command)
    }

    /// The line in the file, with its newline.
    public var line: String { StimulusRecord.line(self) }
    /// Whether the format of the file can be read.
    fileprivate var isReadable: Bool { format == Self.format && (-TraceTick.limit...TraceTick.limit).contains(origin) }
  }

  /// A line of the file after the first.
  private struct Line: Codable {
    var sent: Int64
    var tick: Int
  }

  /// The first line.
  public let header: Header
  /// For each tick of the stimulus, the instant at which it was sent, nanoseconds of CLOCK_MONOTONIC; nil if it was not.
  public private(set) var sent: [Int64?]
  /// The ticks of the stimulus.
  public let ticks: [FollowerStimulus.Tick]

  /// Creates the record of a stimulus that has not begun.
  ///
  /// Real-time: not safe.
  public init(_ header: Header) {
    self.header = header
    ticks = header.stimulus.ticks
    sent = [Int64?](repeating: nil, count: ticks.count)
  }

  /// The number of ticks from the first to the last one that was sent.
  public var count: Int { (sent.lastIndex { $0 != nil } ?? -1) + 1 }

  /// Records that a tick was sent, and returns its line for the file.
  ///
  /// Real-time: not safe.
  public mutating func add(_ tick: Int, sent instant: Instant) -> String {
    sent[tick] = instant.nanoseconds
    return Self.line(Line(sent: instant.nanoseconds, tick: tick))
  }

  private static func line(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // These types contain only numbers that are finite and strings, which can always be encoded.
    return String(decoding: try! encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Reads the file at `path`.
  ///
  /// - Parameter onOctets: receives all octets of the file, in order.
  /// - Throws: ``TraceError`` if the file cannot be read or is not the record of a stimulus.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in }) throws(TraceError) {
    var lines = try LineReader(path: path, onOctets: onOctets)
    func invalid(_ line: Int, _ reason: String) -> TraceError {
      TraceError(
        file: path, line: line, reason: reason, remedy: "give a file of `tutti measure follower PORT --save FILE`")
    }
    guard let first = try lines.next(), let header = try? JSONDecoder().decode(Header.self, from: Data(first)),
      header.isReadable, (try? header.stimulus.check()) != nil
    else { throw invalid(1, "not the record of a stimulus") }
    self.init(header)
    while let text = try lines.next() {
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)), sent.indices.contains(line.tick),
        (-TraceTick.limit...TraceTick.limit).contains(line.sent)
      else {
        // Only the last line, without a newline at its end, can be incomplete.
        if lines.isUnterminated { continue }
        throw invalid(lines.number, "not a tick of the stimulus")
      }
      sent[line.tick] = line.sent
    }
    guard sent.contains(where: { $0 != nil }) else { throw invalid(1, "contains no tick that was sent") }
  }
}
