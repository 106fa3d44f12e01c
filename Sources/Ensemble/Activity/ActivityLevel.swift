public import MusicalTime

/// The energy of one player, 0...127: the base value plus what the player plays at the moment, smoothed. After the player has played, the
/// energy falls back to the base value.
///
/// A one-pole low-pass filter with a time constant of 300 ms smooths the sum, so that a sudden gesture changes the activity gradually.
/// Every 50 ms, the filter takes a step: it computes `y += (x - y) · a` with `a = 1 - e^(-50/300)`, where x is the input and y the output.
/// The filter uses integers, so that all machines compute the same value: the unit of y is 1/65536 of a level, and a is 10061/65536.
/// After a jump of the input, the output has covered 63 % of the jump with the sixth step of the filter, and 95 % with the eighteenth
/// step. A filter at rest takes its first step at once, so these steps follow the jump after 250 ms and 850 ms.
///
/// The note density is the number of notes struck within the last second. ``fullDensity`` notes count as 127 (sixteenths at 120 BPM).
///
/// Real-time: not safe.
public struct ActivityLevel: Sendable {
  /// The time between two steps of the filter, which is the shortest time between two changes.
  public static var step: Nanoseconds { .milliseconds(50) }
  /// The number of notes within a second that counts as 127.
  public static var fullDensity: Int { 8 }

  /// 1 - e^(-50/300) in 65536ths.
  private static var gain: Int64 { 10_061 }
  /// The time for which a struck note counts.
  private static var window: Nanoseconds { .seconds(1) }
  /// If a step of the filter is more than this late, the output is set to the input, because the time is more than sixteen time constants.
  private static var settlingTime: Nanoseconds { .seconds(5) }

  /// The base value, set by keys, by a slider or by a controller, 0...127.
  public private(set) var held: UInt8
  /// The strength of the present movement, 0...127. It counts if it is greater than the base value.
  private var gesture: UInt8 = 0
  /// The instants at which the notes of the last second were struck, oldest first. Only the newest ``fullDensity`` are kept.
  private var notes: [Instant] = []
  /// The output of the filter in units of 1/65536.
  private var filtered: Int64
  /// When the filter takes its next step; nil if the output will stay constant.
  private var due: Instant?
  /// When the filter took its last step.
  private var stepped: Instant?

  /// Creates a filter whose input has been `level` for a long time.
  public init(_ level: UInt8 = 0) {
    held = min(level, 127)
    filtered = Int64(held) << 16
  }

  /// The level, 0...127: the output of the filter, rounded.
  public var value: UInt8 { UInt8(truncatingIfNeeded: (filtered + 0x8000) >> 16) }

  /// When ``advance(to:)`` has something to do next; the distant future if the output will stay constant.
  public var nextDeadline: Instant { due ?? .distantFuture }

  /// Sets the base value; a value above 127 counts as 127.
  public mutating func set(_ level: UInt8, at now: Instant) {
    advance(to: now)
    held = min(level, 127)
    wake(at: now)
  }

  /// Sets the strength of the present movement; a value above 127 counts as 127.
  public mutating func move(_ strength: UInt8, at now: Instant) {
    advance(to: now)
    gesture = min(strength, 127)
    wake(at: now)
  }

  /// Counts a note that the player has struck.
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
      if now - at > Self.settlingTime {
        notes = []
        filtered = input
      } else {
        notes.removeAll { at - $0 >= Self.window }
        let change = ((input - filtered) * Self.gain) >> 16
        // When the change becomes too small for the resolution, the output reaches the input.
        filtered = change == 0 ? input : filtered + change
      }
      due = filtered == input && notes.isEmpty ? nil : at + Self.step
    }
  }

  /// The input of the filter in units of 1/65536.
  private var input: Int64 { Int64(min(127, Int(max(held, gesture)) + notes.count * 127 / Self.fullDensity)) << 16 }

  /// Schedules the next step of the filter if none is scheduled and the output will change.
  private mutating func wake(at now: Instant) {
    guard due == nil, filtered != input || !notes.isEmpty else { return }
    due = stepped.map { max(now, $0 + Self.step) } ?? now
    advance(to: now)
  }
}
