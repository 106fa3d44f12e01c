public import MIDI
public import MusicalTime

/// Records the notes of a player on the steps of the rhythm, as a ``Phrase``.
///
/// A note moves to the nearest step. A note shortly before the first step therefore belongs to the first step. A note shortly
/// before the end also belongs to the first step, because the phrase is repeated. If ``Phrase/maximumNotes`` notes have been
/// recorded, further notes are omitted.
///
/// Real-time: not safe.
public struct PhraseRecorder: Sendable {
  /// The first step.
  public let start: Step
  /// The length in steps.
  public let stepCount: Int
  /// The number of notes that were omitted.
  public private(set) var omitted = 0

  private var notes: [Phrase.Note] = []
  /// The notes that sound, by key: the step at which the note began, counted from ``start``, and the velocity.
  private var held: [UInt8: (step: Int, velocity: UInt8)] = [:]

  /// Returns nil unless `stepCount` is 1...``Phrase/maximumSteps``.
  public init?(from start: Step, stepCount: Int) {
    guard (1...Phrase.maximumSteps).contains(stepCount) else { return nil }
    (self.start, self.stepCount) = (start, stepCount)
  }

  /// The first tick after the phrase.
  public var end: Tick { Tick((start.index + Int64(stepCount)) * Tick.perStep) }

  /// Records the beginning or the end of a note at `tick`. Other messages have no effect.
  public mutating func record(_ message: Message, at tick: Tick) {
    guard let key = message.key?.value else { return }
    // Adding half a step rounds to the nearest step.
    let step = Int((tick + Tick.perStep / 2).step.index - start.index)
    finish(key, at: step)
    guard case .noteOn(_, _, let velocity) = message, velocity.value > 0, step >= 0, tick < end else { return }
    held[key] = (step, velocity.value)
  }

  /// Returns the recorded phrase; nil without notes. Notes that still sound end at the end of the phrase.
  public mutating func phrase() -> Phrase? {
    for key in held.keys.sorted() { finish(key, at: stepCount) }
    return Phrase(stepCount: stepCount, notes: notes)
  }

  /// Ends the note of a key. `end` is the step at which the note ends, counted from ``start``.
  private mutating func finish(_ key: UInt8, at end: Int) {
    guard let (begin, velocity) = held.removeValue(forKey: key) else { return }
    let step = UInt8(begin % stepCount)
    // A phrase has at most one note of a key on a step. Of several recorded notes, the one that ended first remains.
    guard !notes.contains(where: { $0.step == step && $0.key == key }) else { return }
    guard notes.count < Phrase.maximumNotes else {
      omitted += 1
      return
    }
    let length = min(max(end - begin, 1), Phrase.longestNote)
    notes.append(Phrase.Note(step: step, key: key, velocity: velocity, length: UInt8(length)))
  }
}
