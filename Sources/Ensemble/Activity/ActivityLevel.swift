public import MusicalTime

/// How lively one player is, 0...127: what is set by keys or by a controller, plus how densely notes are played, smoothed.
///
/// The smoothing is a one-pole low-pass filter with a time constant of 300 ms, so that a gesture becomes a swell: every
/// 50 ms `y += (x - y) · a` with `a = 1 - e^(-50/300)`, in integers: y counts 65536ths of a level and a is 10061/65536, so
/// that every machine comes to the same value. 63 % of a change has come about after 300 ms, 95 % after 900 ms. The density
/// is the number of notes struck within the last second; ``fullDensity`` of them are 127 (sixteenths at 120 BPM).
public struct ActivityLevel: Sendable {
  /// The time between two steps of the filter, and so the least time between two changes.
  public static var step: Nanoseconds { .milliseconds(50) }
  /// So many notes within a second are 127.
  public static var fullDensity: Int { 8 }

  /// 1 - e^(-50/300) in 65536ths.
  private static var gain: Int64 { 10_061 }
  private static var window: Nanoseconds { .seconds(1) }
  /// After so long, more than sixteen time constants, there is nothing left to smooth.
  private static var rest: Nanoseconds { .seconds(5) }

  /// What keys or a controller stand at, 0...127.
  public private(set) var held: UInt8
  /// When the notes of the last second were struck, oldest first; the newest ``fullDensity`` of them.
  private var notes: [Instant] = []
  /// In 65536ths.
  private var filtered: Int64
  /// When the filter takes its next step; nil while nothing changes.
  private var due: Instant?
  private var stepped: Instant?

  /// A player who has been at `level` for long.
  public init(_ level: UInt8 = 0) {
    held = min(level, 127)
    filtered = Int64(held) << 16
  }

  /// The level, 0...127.
  public var value: UInt8 { UInt8(truncatingIfNeeded: (filtered + 0x8000) >> 16) }

  /// When ``advance(to:)`` has something to do next; the distant future while nothing changes.
  public var nextDeadline: Instant { due ?? .distantFuture }

  /// Keys or a controller stand at `level` from `now` on; more than 127 counts as 127.
  public mutating func set(_ level: UInt8, at now: Instant) {
    advance(to: now)
    held = min(level, 127)
    wake(at: now)
  }

  /// A note was struck.
  public mutating func played(at now: Instant) {
    advance(to: now)
    if notes.count == Self.fullDensity { notes.removeFirst() }
    notes.append(now)
    wake(at: now)
  }

  /// Takes the filter's steps that are due by `now`.
  public mutating func advance(to now: Instant) {
    while let at = due, at <= now {
      stepped = at
      if now - at > Self.rest {
        notes = []
        filtered = input
      } else {
        notes.removeAll { at - $0 >= Self.window }
        let change = ((input - filtered) * Self.gain) >> 16
        filtered = change == 0 ? input : filtered + change
      }
      due = filtered == input && notes.isEmpty ? nil : at + Self.step
    }
  }

  private var input: Int64 { Int64(min(127, Int(held) + notes.count * 127 / Self.fullDensity)) << 16 }

  private mutating func wake(at now: Instant) {
    guard due == nil, filtered != input || !notes.isEmpty else { return }
    due = stepped.map { max(now, $0 + Self.step) } ?? now
    advance(to: now)
  }
}
