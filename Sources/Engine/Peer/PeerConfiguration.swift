public import Ensemble
public import MusicalTime
public import Rhythm

/// What a peer is asked to be.
public struct PeerConfiguration: Sendable {
  /// Through which sound card it is heard.
  public enum Card: Hashable, Sendable {
    case none
    /// The default one; where it cannot be used that is told, no more.
    case anyThereIs
    /// An ALSA PCM device.
    case named(String)
  }

  /// Whether it is found, and finds others, by DNS-SD.
  public enum Discovery: Sendable { case connects, announces, off }

  public var name: String
  /// The control port; data go by the one after it. 0 takes any free pair.
  public var port: UInt16 = 5004
  /// Peers to connect to, `HOST:PORT` each.
  public var connect: [String] = []
  public var discovery = Discovery.off
  public var policy = ConnectionPolicy.anyone
  public var peerOptions = PeerOptionsTable()
  /// Whether it starts the rhythm by itself, once the peers to connect to are there.
  public var start = false
  public var tempo: Tempo
  public var patch: Patch
  /// The patch as its user named it.
  public var patchName: String
  /// The player's activity at the beginning, 0...127.
  public var activity: UInt8 = 64
  /// What the others may do to this peer.
  public var gates = Gates()
  /// Who alone controls the rhythm, by name or identity; nil: anyone does, as far as the gates let them.
  public var leader: String?
  /// What becomes of the rhythm when its master is gone.
  public var masterLoss = MasterLoss.continue
  /// What the master makes of everybody's activity.
  public var activityRule = ActivityRule.sum
  /// To whom the player's notes go, by name or identity; nil: to all.
  public var addressee: String?
  /// What a peer of this name was doing when it ended without having left; nil: begin anew.
  public var restored: SessionState?
  public var card = Card.none
  /// What comes after the card and what it knows nothing of takes so long: the sound leaves that much earlier.
  public var latency = Nanoseconds.zero
  /// The path of a recording, nil for none.
  public var recording: String?
  public var soundFont: String
  /// Whether it has ALSA sequencer ports: clock and notes out, notes and controllers in.
  public var midi = false
  /// Whose clock this peer keeps: of several the first that is heard. None: its own.
  public var clockFrom: [ClockSource] = []
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
