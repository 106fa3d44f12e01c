/// The kinds of messages that the local peer admits from the peer of one session (the open gates), and how loud the
/// notes of that peer sound.
public struct Admission: Hashable, Sendable, BitwiseCopyable {
  /// Whether the notes of the peer are admitted.
  public var notes = false
  /// Whether all other channel messages of the peer are admitted: controllers, program changes, pitch bend.
  public var modification = false
  /// How loud the notes of the peer sound. Notes that do not sound still reach the programs at the ALSA port and the
  /// MIDI recording.
  public var hearing = Hearing.full
  /// Whether the notes of the peer set the pitches of the local player's instrument instead of sounding.
  public var setsPitches = false
  /// Whether the master has silenced all players (``PeerProtocol/Mix/isQuiet``). Their notes do not sound, but still
  /// reach the programs at the ALSA port and the MIDI recording.
  public var isQuiet = false
  /// Whether the admitted notes of the peer sound.
  var isHeard: Bool { @_noLocks @_noAllocation get { hearing.percent > 0 && !setsPitches && !isQuiet } }
  /// Whether the peer may change the sound of the local player's instrument, by controllers on the channel of the local player:
  /// see ``MIDI/Message/shapesInstrument``.
  public var shaping = false
  /// Whether the peer is known to be a Tutti peer. Its controllers 7 and 11 on channel 1 report activity, and do not change the sound.
  /// From all other peers, they are volume and expression.
  public var isTuttiPeer = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}
