public import MusicalTime
public import Rhythm

/// What a peer is asked to be.
public struct PeerConfiguration: Sendable {
  /// Where its sound goes.
  public enum Output: Hashable, Sendable {
    case none
    /// A recording at this path.
    case wav(String)
  }

  public var name: String
  /// The control port; data go by the one after it. 0 takes any free pair.
  public var port: UInt16 = 5004
  /// Peers to connect to, `HOST:PORT` each.
  public var connect: [String] = []
  /// Whether it starts the rhythm by itself, once the peers to connect to are there.
  public var start = false
  public var tempo: Tempo
  public var patch: Patch
  /// The patch as its user named it.
  public var patchName: String
  /// The player's activity at the beginning, 0...127.
  public var activity: UInt8 = 64
  public var output = Output.none
  public var soundFont: String
  /// How far ahead of its sounding a change is told.
  public var lead = Nanoseconds.milliseconds(100)
  /// How long the rhythm plays when this peer starts it, otherwise how long the peer stays; nil: until told to leave.
  public var duration: Nanoseconds?
  /// Where the trace goes, nil for nowhere.
  public var trace: String?
  /// The command line, for the trace.
  public var command: String

  public init(name: String, tempo: Tempo, patch: Patch, patchName: String, soundFont: String, command: String) {
    self.name = name
    self.tempo = tempo
    self.patch = patch
    self.patchName = patchName
    self.soundFont = soundFont
    self.command = command
  }
}
