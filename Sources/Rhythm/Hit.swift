public import MusicalTime

/// A note of a ``StepTable`` that sounds at a certain step and total activity.
public struct Hit: Hashable, Sendable, BitwiseCopyable {
  /// The part that plays the note. Real-time code compares parts with `if case`, because the `==` that the compiler generates has
  /// no real-time annotation.
  public let part: Part
  /// The General MIDI program of a pitched part, 0...127; 0 for the drums.
  public let program: UInt8
  /// The note number on the drum channel, or the key of a pitched part, 0...127.
  public let note: UInt8
  /// MIDI velocity, 1...127.
  public let velocity: UInt8
  /// The cut-off group of a drum, 1...``Patch/maximumGroups``, or 0 for none. The hit stops all sounding notes of its group.
  public let group: UInt8
  /// The position after the first tick of the step, in thousandths of a tick, 0...6000: the distance of a triplet from
  /// the first tick of the step, or the delay by swing.
  public let position: Int32
  /// The end of a note of a pitched part, in ticks after the first tick of the step, rounded to the nearest tick. It is later
  /// than ``position``. 0 for the drums.
  public let end: Int32
  /// How much later than ``position`` the hit sounds. Negative for a hit that is pushed (sounds earlier than ``position``), and usually
  /// for the grace note of a flam. The end of a note of a pitched part moves by the same time.
  public let delay: Nanoseconds
  /// Whether this is the grace note of a flam: a soft note shortly before the main note.
  public let isGrace: Bool

  /// Creates the hit of a drum.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(note: UInt8, velocity: UInt8, group: UInt8, position: Int32, delay: Nanoseconds, isGrace: Bool) {
    (part, program, end) = (.drums, 0, 0)
    (self.note, self.velocity, self.group) = (note, velocity, group)
    (self.position, self.delay, self.isGrace) = (position, delay, isGrace)
  }

  /// Creates the note of a pitched part.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  init(
    part: Part, program: UInt8, key: UInt8, velocity: UInt8, position: Int32, end: Int32, delay: Nanoseconds
  ) {
    (self.part, self.program, note, self.velocity) = (part, program, key, velocity)
    (group, isGrace) = (0, false)
    (self.position, self.end, self.delay) = (position, end, delay)
  }
}
