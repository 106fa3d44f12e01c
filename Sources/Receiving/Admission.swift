/// What of a session the local peer admits, and how loud it sounds.
public struct Admission: Hashable, Sendable, BitwiseCopyable {
  /// Whether the notes of the peer are admitted.
  public var notes = false
  /// Whether all its other messages are admitted: controllers, programs, pitch bend.
  public var modification = false
  /// How loud the notes of the peer sound. Notes that do not sound still reach the programs and the MIDI recording.
  public var hearing = Hearing.full
  /// Whether the notes of the peer set the pitches of the local player's instrument instead of sounding.
  public var setsPitches = false
  /// Whether all players are quiet. Notes that do not sound still reach the programs and the MIDI recording.
  public var isQuiet = false
  /// Whether the notes of the peer sound.
  var isHeard: Bool { @_noLocks @_noAllocation get { hearing.percent > 0 && !setsPitches && !isQuiet } }
  /// Whether the peer may change the sound of the local player's instrument, by controllers on the channel of the local player:
  /// see ``MIDI/Message/shapesInstrument``.
  public var shaping = false
  /// Whether the peer is known to be a standard device. Its controllers 7 and 11 on channel 1 are volume and expression, and
  /// sound. Those of all other peers are activity, and do not.
  public var isStandardDevice = false

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}
}
