public import MIDI
public import MusicalTime

/// Limits the messages of one source, for example of a peer, by class: notes, settings and values each have a ``MessageBudget`` of their
/// own. A burst of controllers therefore does not silence the notes that follow.
///
/// A value beyond its budget is not lost. It waits, and a newer value of the same controller replaces it, so that the last value of each
/// controller always arrives. The values that wait are released as soon as the budget has tokens again, in the order of channels and
/// controllers, beginning after the one that was released last. Notes and settings beyond their budgets are refused.
///
/// Dropped messages are counted and reported: ``due(at:)``.
///
/// The caller must not pass messages that end a held note or lift a pedal that is down: such messages are always admitted.
///
/// The memory is 2.5 kB.
public struct InputLimit: ~Copyable {
  /// What happens to a message.
  public enum Verdict: Sendable, BitwiseCopyable {
    /// The message takes effect now.
    case admitted
    /// The message is a value that ``InputLimit/due(at:)`` returns later, unless a newer value replaces it.
    case waiting
    /// The message is dropped.
    case refused
  }

  /// Something that is due.
  public enum Due: Sendable, BitwiseCopyable {
    /// A value that has waited and takes effect now.
    case value(Message)
    /// This number of messages was dropped since the previous report.
    case report(count: Int64)
  }

  /// The time from the first message that is dropped to the report of the number of such messages.
  private static var reportDelay: Nanoseconds { @_noLocks @_noAllocation get { .seconds(1) } }

  private var notes = MessageBudget()
  private var settings = MessageBudget()
  private var values = MessageBudget()
  private var waiting = WaitingValues()

  /// The number of messages that were dropped: refused notes, settings and key pressures, and values that a newer value has replaced.
  ///
  /// Real-time: safe.
  public private(set) var refused: Int64 = 0

  /// The value of ``refused`` in the last report, and when the next report is due.
  private var (reported, nextReport): (Int64, Instant) = (0, .distantFuture)

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init() {}

  /// Whether a value waits, or a report.
  ///
  /// Real-time: safe.
  public var hasWork: Bool { @_noLocks @_noAllocation get { nextDeadline < .distantFuture } }

  /// The instant from which ``due(at:)`` returns something; the distant future if nothing waits.
  ///
  /// Real-time: safe.
  public var nextDeadline: Instant {
    @_noLocks @_noAllocation get {
      if waiting.isEmpty || nextReport < values.nextAdmission { return nextReport }
      return values.nextAdmission
    }
  }

  /// Decides on a channel message that arrives at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func admit(_ message: Message, at now: Instant) -> Verdict {
    switch MessageClass(of: message) {
    case .note: return verdict(notes.admit(at: now), at: now)
    case .setting:
      guard settings.admit(at: now) else { return verdict(false, at: now) }
      waiting.remove(resetBy: message)
      return .admitted
    case .value:
      // A value must not overtake an older value of the same controller, which would then arrive last.
      if waiting.remove(olderThan: message) {
        countRefused(at: now)
      } else if waiting.isEmpty, values.admit(at: now) {
        return .admitted
      }
      if waiting.insert(message) { return .waiting }
      return verdict(values.admit(at: now), at: now)
    }
  }

  /// Returns the next value that has waited, or a report; nil if nothing is due at `now`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func due(at now: Instant) -> Due? {
    if !waiting.isEmpty, values.nextAdmission <= now, values.admit(at: now), let message = waiting.removeNext() {
      return .value(message)
    }
    guard now >= nextReport else { return nil }
    let count = refused - reported
    (reported, nextReport) = (refused, .distantFuture)
    return .report(count: count)
  }

  /// Forgets the values that wait, and fills the budgets.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func reset() {
    (notes, settings, values) = (MessageBudget(), MessageBudget(), MessageBudget())
    waiting.removeAll()
    (refused, reported, nextReport) = (0, 0, .distantFuture)
  }

  @_noLocks @_noAllocation
  private mutating func verdict(_ isAdmitted: Bool, at now: Instant) -> Verdict {
    if !isAdmitted { countRefused(at: now) }
    return isAdmitted ? .admitted : .refused
  }

  @_noLocks @_noAllocation
  private mutating func countRefused(at now: Instant) {
    refused += 1
    if nextReport == .distantFuture { nextReport = now + Self.reportDelay }
  }
}

/// The classes of channel messages in an ``InputLimit``.
private enum MessageClass: BitwiseCopyable {
  /// Note On and Note Off.
  case note
  /// A message whose place in the order matters: a program, a bank (controllers 0 and 32), a registered or other parameter (6, 38 and
  /// 96...101), a pedal or portamento control (64...69, 84), or a channel mode message (120...127).
  case setting
  /// A message whose last value counts: any other controller, pitch bend, channel pressure and key pressure.
  case value

  @_noLocks @_noAllocation
  init(of message: Message) {
    switch message {
    case .noteOn, .noteOff: self = .note
    case .controlChange(_, let controller, _):
      switch controller.value {
      case 0, 6, 32, 38, 64...69, 84, 96...101, 120...127: self = .setting
      default: self = .value
      }
    case .polyphonicPressure, .channelPressure, .pitchBend: self = .value
    default: self = .setting
    }
  }
}

/// The last value of each controller, of the pitch bend and of the channel pressure that waits, on sixteen channels.
private struct WaitingValues: ~Copyable {
  /// The values of the controllers of a channel.
  private var values = InlineArray<16, InlineArray<128, UInt8>>(repeating: InlineArray(repeating: 0))
  /// The controllers whose values wait: one bit per controller, by channel. Controllers from 120 on are never values, so the bits 126 and
  /// 127 stand for the channel pressure and the pitch bend.
  private var controllers = InlineArray<16, UInt128>(repeating: 0)
  /// The pitch bends, 0...16383, by channel.
  private var bends = InlineArray<16, UInt16>(repeating: 0)
  /// The number of values that wait.
  private var count = 0
  /// Where the search for the next value begins: 128 times the channel, plus the bit.
  private var position = 0

  @_noLocks @_noAllocation
  init() {}

  var isEmpty: Bool { @_noLocks @_noAllocation get { count == 0 } }

  /// Inserts a value. Returns false for key pressure, whose values have no place here.
  @_noLocks @_noAllocation
  mutating func insert(_ message: Message) -> Bool {
    guard let channel = message.channel, let bit = Self.bit(of: message) else { return false }
    let index = Int(channel.wire)
    switch message {
    case .controlChange(_, _, let value), .channelPressure(_, let value): values[index][bit] = value.value
    case .pitchBend(_, let bend): bends[index] = bend.value
    default: return false
    }
    if controllers[index] >> UInt128(bit) & 1 == 0 { count += 1 }
    controllers[index] |= 1 << UInt128(bit)
    return true
  }

  /// Removes the value that `message` replaces. Returns whether there was one.
  @_noLocks @_noAllocation
  mutating func remove(olderThan message: Message) -> Bool {
    guard let channel = message.channel, let bit = Self.bit(of: message) else { return false }
    return remove(Int(channel.wire), bit)
  }

  /// If the message is Reset All Controllers (121), removes the values that it resets: modulation, expression, channel pressure and pitch
  /// bend. Source: RP-015. The other controllers that it resets are never values.
  @_noLocks @_noAllocation
  mutating func remove(resetBy message: Message) {
    guard case .controlChange(let channel, let controller, _) = message, controller.value == 121 else { return }
    let index = Int(channel.wire)
    _ = (remove(index, 1), remove(index, 11), remove(index, Self.pressureBit), remove(index, Self.bendBit))
  }

  /// Removes and returns the next value. There must be one.
  @_noLocks @_noAllocation
  mutating func removeNext() -> Message? {
    var channels = 0
    var (index, first) = (position / 128, position % 128)
    // The first channel is visited twice: from the position on, and up to the position.
    while channels <= 16 {
      let rest = (controllers[index] >> UInt128(first)) << UInt128(first)
      if rest != 0 {
        let bit = rest.trailingZeroBitCount
        _ = remove(index, bit)
        position = (index * 128 + bit + 1) % 2048
        return message(Channel(wire: UInt8(truncatingIfNeeded: index)), bit)
      }
      (index, first) = ((index + 1) % 16, 0)
      channels += 1
    }
    return nil
  }

  @_noLocks @_noAllocation
  mutating func removeAll() {
    for index in 0..<16 { controllers[index] = 0 }
    (count, position) = (0, 0)
  }

  @_noLocks @_noAllocation
  private mutating func remove(_ index: Int, _ bit: Int) -> Bool {
    guard controllers[index] >> UInt128(bit) & 1 != 0 else { return false }
    controllers[index] &= ~(1 << UInt128(bit))
    count -= 1
    return true
  }

  @_noLocks @_noAllocation
  private func message(_ channel: Channel, _ bit: Int) -> Message {
    let index = Int(channel.wire)
    if bit == Self.bendBit { return .pitchBend(channel, UInt14(clamping: Int(bends[index]))) }
    let value = UInt7(masking: values[index][bit])
    if bit == Self.pressureBit { return .channelPressure(channel, pressure: value) }
    return .controlChange(channel, controller: UInt7(masking: UInt8(truncatingIfNeeded: bit)), value: value)
  }

  private static var pressureBit: Int { @_noLocks @_noAllocation get { 126 } }
  private static var bendBit: Int { @_noLocks @_noAllocation get { 127 } }

  @_noLocks @_noAllocation
  private static func bit(of message: Message) -> Int? {
    switch message {
    case .controlChange(_, let controller, _): Int(controller.value)
    case .channelPressure: pressureBit
    case .pitchBend: bendBit
    default: nil
    }
  }
}
