public import MIDI

/// An event that an ``InstrumentPlayer`` or a ``PhrasePlayer`` returns: a message for the synthesizer, and the position at which the
/// message takes effect.
public struct InstrumentEvent: Hashable, Sendable, BitwiseCopyable {
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// A note begins. The key is 0...127, the velocity 1...127.
    case noteOn(key: UInt8, velocity: UInt8)
    /// The sounding note of this key ends.
    case noteOff(key: UInt8)
    /// The General MIDI program changes, 0...127.
    case program(UInt8)
    /// Brightness (CC 74) changes, 0...127.
    case brightness(UInt8)
  }

  public let kind: Kind
  /// The position at which the event takes effect. Events are returned in the order of their positions, with one exception. The note of
  /// an action is moved to a line of the grid. This line can be before the horizon of the last call of ``InstrumentPlayer/next(before:)``.
  /// The note is then returned after events with later positions.
  public let position: MusicalPosition
  /// Whether the event takes effect as early as possible, for example a change of the program, or a note that the quantizer does not
  /// delay. Any other event takes effect exactly at ``position``.
  public let isImmediate: Bool

  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(_ kind: Kind, at position: MusicalPosition, isImmediate: Bool = false) {
    (self.kind, self.position, self.isImmediate) = (kind, position, isImmediate)
  }

  /// The message on a channel.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func message(on channel: Channel) -> Message {
    switch kind {
    case .noteOn(let key, let velocity):
      .noteOn(channel, key: UInt7(masking: key), velocity: UInt7(masking: velocity))
    case .noteOff(let key): .noteOff(channel, key: UInt7(masking: key), velocity: 64)
    case .program(let program): .programChange(channel, program: UInt7(masking: program))
    case .brightness(let value): .controlChange(channel, controller: 74, value: UInt7(masking: value))
    }
  }
}
