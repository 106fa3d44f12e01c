/// The last line of a trace: what the peer counted. It is missing when the peer was killed.
public struct TraceSummary: Hashable, Sendable {
  /// The role at the end.
  public var role: String
  public var ticksExpected: Int64 = 0
  public var ticksReceived: Int64 = 0
  public var ticksLost: Int64 = 0
  public var hits: Int64 = 0
  /// Hits that sounded after their frame.
  public var lateHits: Int64 = 0
  /// Hits that came too late to sound at all.
  public var droppedHits: Int64 = 0
  /// Audio periods that were not rendered in time.
  public var underruns: Int64 = 0
  /// Whatever else was counted, by its name in the trace.
  public var others: [String: Int64] = [:]

  /// A summary with nothing counted yet.
  ///
  /// Real-time: not safe.
  public init(role: String) { self.role = role }
}

extension TraceSummary: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// The counts that every peer knows, by their names in the trace. Key paths to stored properties of this type alone.
  private static var counts: [(name: String, path: WritableKeyPath<TraceSummary, Int64>)] {
    [
      ("ticks_expected", \.ticksExpected), ("ticks_received", \.ticksReceived), ("ticks_lost", \.ticksLost),
      ("hits", \.hits), ("late_hits", \.lateHits), ("dropped_hits", \.droppedHits), ("underruns", \.underruns),
    ]
  }

  /// Counts that are missing are 0; members that are not whole numbers are passed over.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    role = try container.decode(String.self, forKey: Name("role"))
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
    var container = encoder.container(keyedBy: Name.self)
    for (name, count) in others { try container.encode(count, forKey: Name(name)) }
    try container.encode(role, forKey: Name("role"))
    for (name, path) in Self.counts { try container.encode(self[keyPath: path], forKey: Name(name)) }
  }
}
