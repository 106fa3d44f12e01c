public import Foundation
public import MusicalTime

/// The record of a stimulus: the instant at which each tick was sent. `tutti measure follower --save` writes it to a file.
///
/// The file consists of JSON lines. The first line is the ``Header``. Each other line is a tick that was sent: `{"sent":NS,"tick":N}`. If
/// the program was interrupted, the file contains the ticks that were sent until then.
///
/// Real-time: not safe.
public struct StimulusRecord: Sendable {
  /// The first line of the file.
  ///
  /// Real-time: not safe.
  public struct Header: Hashable, Sendable, Codable {
    /// The version of the format.
    static let format = 1

    private var format = Header.format
    /// The stimulus.
    public var stimulus: FollowerStimulus
    /// The ALSA port to which the clock was sent.
    public var output: String
    /// The instant at which tick 0 was due, in nanoseconds of CLOCK_MONOTONIC.
    public var origin: Int64
    /// The version of the program that sent the clock.
    public var version: String
    /// The command line of this program.
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

    /// The first line of the file, with its newline.
    public var line: String { StimulusRecord.line(self) }
    /// Whether this version of the program can read the file, and the origin is within 73 years of 0.
    fileprivate var isReadable: Bool { format == Self.format && (-TraceTick.limit...TraceTick.limit).contains(origin) }
  }

  /// A line of the file after the header.
  private struct Line: Codable {
    var sent: Int64
    var tick: Int
  }

  /// The first line.
  public let header: Header
  /// For each tick of the stimulus, the instant at which it was sent, in nanoseconds of CLOCK_MONOTONIC; nil for a tick that was not sent.
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

  /// The number of ticks from tick 0 to the last tick that was sent, including the lost ticks between them.
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
    // Encoding cannot fail: the values contain only strings and finite numbers.
    return String(decoding: try! encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Reads the record in the file at `path`.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - onOctets: receives all octets of the file, in order, for example for a digest.
  /// - Throws: ``TraceError`` if the file cannot be read or is not the record of a stimulus. An incomplete last line is not an error: it is
  ///   ignored.
  ///
  /// Real-time: not safe.
  public init(contentsOf path: String, onOctets: @escaping (Data) -> Void = { _ in }) throws(TraceError) {
    var lines = try LineReader(path: path, onOctets: onOctets)
    func invalid(_ line: Int, _ reason: String) -> TraceError {
      TraceError(
        file: path, line: line, reason: reason, remedy: "give a file of `tutti measure follower alsa:PORT --save FILE`")
    }
    guard let first = try lines.next(), let header = try? JSONDecoder().decode(Header.self, from: Data(first)),
      header.isReadable, (try? header.stimulus.check()) != nil
    else { throw invalid(1, "not a clock saved with --save") }
    self.init(header)
    while let text = try lines.next() {
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)), sent.indices.contains(line.tick),
        (-TraceTick.limit...TraceTick.limit).contains(line.sent)
      else {
        // Only the last line, without a newline at its end, can be incomplete.
        if lines.isUnterminated { continue }
        throw invalid(lines.number, "not a tick of the clock")
      }
      sent[line.tick] = line.sent
    }
    guard sent.contains(where: { $0 != nil }) else { throw invalid(1, "contains no tick that was sent") }
  }
}
