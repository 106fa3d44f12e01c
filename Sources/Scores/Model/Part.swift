/// A part: what one player plays, on one or more staves.
public struct Part: Hashable, Sendable {
  /// One sound of a part. Most parts have one; a drum part has one for each drum.
  public struct Instrument: Hashable, Sendable {
    public var name: String
    /// The General MIDI program, 0...127.
    public var program: UInt8
    /// The General MIDI key of a drum, 0...127; nil for a pitched instrument.
    public var key: UInt8?

    public init(name: String, program: UInt8 = 0, key: UInt8? = nil) {
      (self.name, self.program, self.key) = (name, program, key)
    }
  }

  /// Identifies the part in its score. Assigned at import.
  public var id: UInt32 = 0
  public var name: String
  public var abbreviation: String
  /// The number of staves, 1...``Score/Limits/staves``.
  public var staves: UInt8 = 1
  public var instruments: [Instrument]
  /// Whether the part plays on the drum channel.
  public var isPercussion = false
  /// The level, 0...127; 100 if the file does not say it.
  public var level: UInt8 = 100
  /// The contents of each bar of ``Score/bars``.
  public var bars: [PartBar] = []

  public init(name: String, abbreviation: String = "", instruments: [Instrument]) {
    (self.name, self.abbreviation, self.instruments) = (name, abbreviation, instruments)
  }
}

/// What one part has in one bar.
public struct PartBar: Hashable, Sendable {
  public var voices: [Voice] = []
  /// In the order of their offsets.
  public var changes: [Change] = []
  public var marks: [Mark] = []
  public var symbols: [ChordSymbol] = []

  public init() {}
}
