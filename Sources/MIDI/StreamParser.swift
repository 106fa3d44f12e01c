import BasicContainers

/// A parser of a MIDI byte stream, fed one byte at a time.
///
/// The rules are those of the MIDI 1.0 Detailed Specification 4.2, section 2 and appendix A-3:
///
/// - A status byte determines the number of data bytes. The status of a channel message remains valid for further data
///   bytes (running status) until the next status byte that is not a real-time byte.
/// - Real-time bytes, F8...FF, may occur anywhere, also inside System Exclusive, and have no effect on the rest of the
///   stream.
/// - Any other status byte ends a System Exclusive. The System Exclusive is then complete, even without F7.
///
/// The parser counts and drops invalid input: a single byte that belongs to no message, or the whole of an incomplete message or of an
/// overlong System Exclusive.
public struct StreamParser: ~Copyable {
  /// The items that one byte completed. If a Tune Request ends a System Exclusive, both are present, and the System
  /// Exclusive precedes the message.
  public struct Output: Hashable, Sendable, BitwiseCopyable {
    /// Whether ``StreamParser/systemExclusive`` is complete. Its contents remain valid until the next byte is fed.
    public var finishedSystemExclusive = false
    /// The completed message, if any.
    public var message: Message?
  }

  /// The numbers of dropped items.
  public struct Counters: Hashable, Sendable, BitwiseCopyable {
    /// Data bytes without a status.
    public var strayData: UInt64 = 0
    /// Undefined status bytes: F4, F5, F9 and FD.
    public var undefinedStatus: UInt64 = 0
    /// F7 bytes outside a System Exclusive.
    public var strayEnd: UInt64 = 0
    /// Messages interrupted by another status byte before their last data byte.
    public var incomplete: UInt64 = 0
    /// System Exclusives longer than the capacity.
    public var overlong: UInt64 = 0

    /// Creates counters that are all 0.
    ///
    /// Real-time: not safe.
    public init() {}
  }

  private enum State: BitwiseCopyable {
    /// Outside System Exclusive.
    case messages
    /// Inside a System Exclusive.
    case systemExclusive
    /// Inside a System Exclusive that was dropped because it is too long.
    case overlongSystemExclusive
  }

  /// The numbers of items dropped since the parser was created.
  public private(set) var counters = Counters()
  /// The data bytes of the current System Exclusive, without F0 and F7.
  public private(set) var systemExclusive: RigidArray<UInt8>
  private var state = State.messages
  /// The status that applies to the next data byte, or 0 if there is none.
  private var status: UInt8 = 0
  /// The first of two data bytes, until the second arrives.
  private var first: UInt7?
  /// Whether a message has begun and its data bytes are incomplete.
  private var isPending = false
  /// Whether ``systemExclusive`` holds a complete System Exclusive, which the next byte clears.
  private var isFinished = false

  /// Creates a parser for the start of a stream.
  ///
  /// - Parameter systemExclusiveCapacity: the maximum number of data bytes of a System Exclusive, without F0 and F7.
  ///
  /// Real-time: not safe.
  public init(systemExclusiveCapacity: Int) { systemExclusive = RigidArray(capacity: systemExclusiveCapacity) }

  /// Processes the next byte of the stream and returns the items that it completes.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func feed(_ byte: UInt8) -> Output {
    if isFinished {
      systemExclusive.removeAll()
      isFinished = false
    }
    switch byte {
    case 0x00...0x7F: return Output(message: takeData(byte))
    case 0xF8...0xFF:
      if let message = Message(status: byte) { return Output(message: message) }
      counters.undefinedStatus &+= 1
      return Output()
    default: return takeStatus(byte)
    }
  }

  /// Processes a data byte. Returns the message that it completes, if any.
  @_noLocks @_noAllocation
  private mutating func takeData(_ byte: UInt8) -> Message? {
    switch state {
    case .overlongSystemExclusive: return nil
    case .systemExclusive:
      if systemExclusive.isFull {
        counters.overlong &+= 1
        systemExclusive.removeAll()
        state = .overlongSystemExclusive
      } else {
        systemExclusive.append(byte)
      }
      return nil
    case .messages: break
    }
    guard let count = Message.dataCount(status: status) else {
      counters.strayData &+= 1
      return nil
    }
    let data = UInt7(masking: byte)
    let message: Message?
    // `count` is 1 or 2, because `takeStatus` stores no status of a message without data bytes.
    if count == 1 {
      message = Message(status: status, data)
    } else if let first {
      message = Message(status: status, first, data)
    } else {
      (first, isPending) = (data, true)
      return nil
    }
    (first, isPending) = (nil, false)
    // Running status applies to channel messages only.
    if status >= 0xF0 { status = 0 }
    return message
  }

  /// Processes a status byte below F8. Such a byte ends a System Exclusive or an incomplete message.
  @_noLocks @_noAllocation
  private mutating func takeStatus(_ byte: UInt8) -> Output {
    var output = Output()
    if isPending { counters.incomplete &+= 1 }
    let wasExclusive = state != .messages
    if state == .systemExclusive {
      output.finishedSystemExclusive = true
      isFinished = true
    }
    (state, status, first, isPending) = (.messages, 0, nil, false)
    switch byte {
    case 0xF0:
      // If the previous System Exclusive ended without F7, its data remain in the buffer until the next byte clears
      // them.
      state = .systemExclusive
    case 0xF7: if !wasExclusive { counters.strayEnd &+= 1 }
    case 0xF4, 0xF5: counters.undefinedStatus &+= 1
    case 0xF6: output.message = .tuneRequest
    default: (status, isPending) = (byte, true)
    }
    return output
  }
}
