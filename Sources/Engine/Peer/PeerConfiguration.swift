import Audio
public import Ensemble
public import MusicalTime
public import PeerProtocol
public import RTPMIDI
public import Rhythm
import Sending
import Text

/// The configuration of a peer.
public struct PeerConfiguration: Sendable {
  /// The sound card.
  public enum Card: Hashable, Sendable {
    case none
    /// The default device. If it cannot be used, the peer reports this and plays without a sound card until the
    /// device can be opened.
    case defaultIfUsable
    /// The ALSA PCM device of this name. The device must exist at the start, unless the name stands for the default device or a
    /// sound server.
    case named(String)
  }

  /// Discovery by DNS-SD: announce the peer and connect to others (`connects`), only announce the peer and list others (`announces`), or
  /// neither (`off`). The raw value is the value of `--discovery`.
  public enum Discovery: String, Sendable, CaseIterable {
    case connects = "connect"
    case announces = "announce"
    case off
  }

  /// The name that other peers see, at most 48 octets. A name without a visible character becomes `peer`.
  public let name: String
  /// The control port. The data port is the next one. 0 selects any free pair.
  public var port: UInt16 = 5004
  /// The peers to connect to, as `HOST:PORT`.
  public var connect: [String] = []
  public var discovery = Discovery.off
  public var policy = ConnectionPolicy.anyone
  /// The maximum number of sessions with one host. Further invitations of the host are refused: see `Endpoint.sessionsPerHost`.
  public var sessionsPerHost = 8
  /// The key of the group; nil without a passkey.
  public var passkey: GroupKey?
  /// Whether the passkey is so short that it can be guessed (``Passkey/isShort``).
  public var isPasskeyShort = false
  /// The addresses of devices without Tutti that may be in session although the group has a passkey. Only the host of each
  /// address is compared, not its port.
  public var admitted: [SocketAddress] = []
  public var peerOptions = PeerOptionsTable()
  /// Whether the peer starts the rhythm without a command, when all peers of ``connect`` are in session.
  public var start = false
  public var tempo: Tempo
  /// Whether the player has chosen ``tempo``. Otherwise, the last tempo of the other peers replaces it.
  public var isTempoChosen = false
  public var patch: Patch
  /// Whether the player has chosen ``patch``. Otherwise, the last rhythm of the other peers replaces it.
  public var isPatchChosen = false
  /// The name or path of the patch, as the user has entered it.
  public var patchName: String
  /// The instrument of the player; nil: the notes of the player are not changed.
  public var instrument: Instrument?
  /// The name or path of the instrument, as the user has entered it.
  public var instrumentName = ""
  /// The activity that the player has set at the start, 0...127; nil: none, so that all untouched players together have a moderate total.
  public var activity: UInt8?
  /// The devices that play as players of this peer: `DEVICE` or `DEVICE=NAME`.
  public var players: [String] = []
  /// What remote peers may do to the local peer.
  public var gates = Gates()
  /// The peers that may control the rhythm, by name or identity: the leader and then its deputies; none: any peer may. Nil: as in ``gates``.
  public var leaders: [String]?
  /// What happens to the rhythm when its master disappears.
  public var masterLoss = MasterLoss.continue
  /// Whether the peer plays its own patch even while it follows a master.
  public var ownPatch = false
  /// The score that plays; nil: none.
  public var score: ChosenScore?
  /// Whether the rhythm plays beside the score.
  public var withRhythm = false
  /// The printed number of the bar at which the score starts; nil: its beginning.
  public var startBar: String?
  /// The tempo of the score in percent of the written tempo, 10...400.
  public var scoreTempo = 100.0
  /// The levels of parts of the score at this peer, by the name or the number of the part.
  public var scoreParts: [(part: String, level: ScorePartLevel)] = []
  /// The MIDI devices that play parts of the score, at most ``maximumScoreDevices``.
  public var scoreDevices: [ScoreDevice] = []
  /// How the master combines the energies of all players; nil: by the number of players.
  public var totalActivityRule: TotalActivityRule?
  /// The receiver of the player's notes, by name or identity; nil: all peers.
  public var recipient: String?
  /// The remote players whose notes sound at the local peer.
  public var hearing = HearingChoices()
  /// The saved session that the peer restores, because a peer of this name has crashed; nil: no saved session.
  public var restored: SavedSession?
  /// Whether the peer ends with ``Peer/Outcome/renewedIdentity`` if another machine uses its identity.
  public var renewsIdentity = true
  public var card = Card.none
  /// The period of the sound card in frames: see ``PCMDevice``.
  public var period = PCMDevice.defaultPeriod
  /// The delay of the devices after the sound card. The card does not report this delay. Hits are played earlier by this time; if it is
  /// negative, later. Within ``latencies(leadTime:)``.
  public var latency = Nanoseconds.zero
  /// The path of the recording; nil: no recording.
  public var recording: String?
  public var soundFont: String
  /// Whether the peer has ALSA sequencer ports: clock and notes out, notes and controllers in.
  public var midi = false
  /// The external clocks. If there are several, the peer follows the one that starts a rhythm first (``Ensemble/ClockArbiter``). If empty,
  /// the peer uses the local clock.
  public var clockFrom: [ClockSource] = []
  /// Whether the external clocks start and stop the rhythm by Start, Continue and Stop. If not, the rhythm plays while ticks arrive.
  public var followsTransport = true
  /// Whether the clock runs on while no rhythm plays, on the ALSA clock port and to standard devices.
  public var clockAlways = false
  /// The offsets of clock outputs, at most ``maximumClockOffsets`` different ones.
  public var clockOffsets: [ClockOffset] = []
  /// The lead time: how far in advance a change is announced.
  public var lead = Nanoseconds.milliseconds(100)
  /// With ``start``, how long the rhythm plays; otherwise, how long the peer runs. Nil: until the command to leave.
  public var duration: Nanoseconds?
  /// The path of the trace; nil: no trace.
  public var trace: String?
  /// The path of the MIDI recording; nil: no MIDI recording.
  public var midiRecording: String?
  /// The command line, for the trace.
  public var command: String

  /// The maximum number of different offsets in ``clockOffsets``.
  public static let maximumClockOffsets = StreamSender.maximumOffsets

  /// The maximum number of elements of ``scoreDevices``.
  public static let maximumScoreDevices = ScoreRoutes.maximum

  /// The values of ``latency`` in milliseconds. A change of the rhythm must be known before a hit sounds, so a hit is delayed by at most the
  /// lead time, in milliseconds.
  public static func latencies(leadTime: Double) -> ClosedRange<Double> { -leadTime...1000 }

  public init(name: String, tempo: Tempo, patch: Patch, patchName: String, soundFont: String, command: String) {
    // Other peers clean the name that they receive in the same way.
    self.name = name.cleanName() ?? "peer"
    (self.tempo, self.patch, self.patchName) = (tempo, patch, patchName)
    (self.soundFont, self.command) = (soundFont, command)
  }
}

/// The offset of one clock output.
///
/// Real-time: not safe.
public struct ClockOffset: Hashable, Sendable {
  /// A subscriber of the ALSA port `clock`, by name or number, or an RTP-MIDI device, by name or address.
  public var port: String
  /// How much later than without an offset the output gets each message of the clock, in nanoseconds; negative: earlier.
  public var offset: Nanoseconds

  public init(port: String, offset: Nanoseconds) { (self.port, self.offset) = (port, offset) }

  /// The offset as the player reads it, for example `12 ms earlier`.
  static func description(of offset: Nanoseconds) -> String {
    let length = offset.magnitude.milliseconds
    let number = length == length.rounded() ? "\(Int(length))" : "\(length)"
    return "\(number) ms \(offset < .zero ? "earlier" : "later")"
  }
}

/// The source of an external clock.
///
/// Real-time: not safe.
public enum ClockSource: Hashable, Sendable {
  /// An ALSA sequencer port, by name or number.
  case port(String)
  /// An RTP-MIDI device, by `HOST` or `HOST:PORT`.
  case peer(String)

  /// The prefix of ``peer(_:)`` in the text form. A text without this prefix is the name of a port.
  static let peerPrefix = "rtp:"

  /// Parses the text form: the name of a port, or `rtp:HOST[:PORT]`.
  public init(_ text: String) {
    self =
      text.hasPrefix(Self.peerPrefix) ? .peer(String(text.dropFirst(Self.peerPrefix.count))) : .port(text)
  }
}
