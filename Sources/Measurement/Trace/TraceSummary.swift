/// The last line of a trace: the counts of the peer. It is missing if the peer was killed.
///
/// Real-time: not safe.
public struct TraceSummary: Hashable, Sendable {
  /// The role at the end: "master", "follower" or "idle".
  public var role: String
  /// The number of ticks that were due.
  public var ticksExpected: Int64 = 0
  /// The number of due ticks that were received. For a master, which receives no ticks, it equals ``ticksExpected``.
  public var ticksReceived: Int64 = 0
  /// The number of due ticks that were not received.
  public var ticksLost: Int64 = 0
  /// The number of hits played, including late hits.
  public var hits: Int64 = 0
  /// The number of hits that sounded after the frame at which they were due.
  public var lateHits: Int64 = 0
  /// The number of hits that were not played, for example because they were too late.
  public var droppedHits: Int64 = 0
  /// How often a sound card ran out of frames. For a recording: how often a sound card would have run out of frames.
  public var underruns: Int64 = 0
  /// All other counts, by their keys in the trace.
  public var others: [String: Int64] = [:]

  /// Creates a summary whose counts are 0.
  ///
  /// Real-time: not safe.
  public init(role: String) { self.role = role }
}

extension TraceSummary: Codable {
  /// The keys in the trace and the stored properties of the standard counts.
  private static var counts: [(name: String, path: WritableKeyPath<TraceSummary, Int64>)] {
    [
      ("ticks_expected", \.ticksExpected), ("ticks_received", \.ticksReceived), ("ticks_lost", \.ticksLost),
      ("hits", \.hits), ("late_hits", \.lateHits), ("dropped_hits", \.droppedHits), ("underruns", \.underruns),
    ]
  }

  /// Decodes a summary. Missing standard counts are 0. Other values that are not integers are ignored.
  ///
  /// - Throws: `DecodingError` if the role is missing or a standard count is not an integer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    role = try container.decode(String.self, forKey: "role")
    let counts = Dictionary(uniqueKeysWithValues: Self.counts.map { ($0.name, $0.path) })
    for key in container.allKeys where key.stringValue != "role" {
      guard let path = counts[key.stringValue] else {
        others[key.stringValue] = try? container.decode(Int64.self, forKey: key)
        continue
      }
      self[keyPath: path] = try container.decode(Int64.self, forKey: key)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    // The role and the standard counts come last, so that they replace equal keys in `others`.
    for (name, count) in others { try container.encode(count, forKey: MemberName(stringValue: name)) }
    try container.encode(role, forKey: "role")
    for (name, path) in Self.counts { try container.encode(self[keyPath: path], forKey: MemberName(stringValue: name)) }
  }
}
