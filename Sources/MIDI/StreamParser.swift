import BasicContainers

/// A MIDI cable's bytes made into messages, one byte at a time.
///
/// The rules are those of the MIDI 1.0 Detailed Specification 4.2, section 2 and appendix A-3. A status byte says how
/// many data bytes follow. A channel status stays in force for further data bytes (running status) until any other
/// status but a real-time one. Real-time bytes, F8...FF, may stand anywhere, inside System Exclusive too, and disturb
/// nothing. Any status but these ends a System Exclusive, with F7 or without it (the "dropped F7"). What fits nowhere
/// is counted and dropped: the byte alone where it stands alone, the whole message where it is cut short, the whole
/// System Exclusive where it is too long.
public struct StreamParser: ~Copyable {
  /// What one byte brought to an end. Both are there when a Tune Request ends a System Exclusive: then that came first.
  public struct Output: Hashable, Sendable, BitwiseCopyable {
    /// ``StreamParser/systemExclusive`` is complete. It stays as it is until the next byte is fed.
    public var finishedSystemExclusive = false
    public var message: Message?
  }

  /// What was dropped.
  public struct Counters: Hashable, Sendable, BitwiseCopyable {
    /// Data bytes that belong to no status.
    public var strayData: UInt64 = 0
    /// F4, F5, F9 and FD.
    public var undefinedStatus: UInt64 = 0
    /// F7 where no System Exclusive was open.
    public var strayEnd: UInt64 = 0
    /// Messages whose data bytes another status cut short.
    public var incomplete: UInt64 = 0
    /// System Exclusives longer than the bound.
    public var overlong: UInt64 = 0

    /// Nothing dropped yet.
    public init() {}
  }

  private enum State: BitwiseCopyable { case messages, systemExclusive, overlongSystemExclusive }

  public private(set) var counters = Counters()
  /// The data bytes of the System Exclusive being received, without F0 and F7.
  public private(set) var systemExclusive: RigidArray<UInt8>
  private var state = State.messages
  /// The status in force, or 0.
  private var status: UInt8 = 0
  /// The first of two data bytes, while the second is awaited.
  private var first: UInt7?
  /// A message has begun and lacks data bytes.
  private var isPending = false
  private var isFinished = false

  /// A parser at the start of a stream.
  ///
  /// - Parameter systemExclusiveCapacity: how many data bytes, F0 and F7 not counted, a System Exclusive may have.
  ///
  /// Real-time: not safe.
  public init(systemExclusiveCapacity: Int) { systemExclusive = RigidArray(capacity: systemExclusiveCapacity) }

  /// Takes the stream's next byte.
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
    if count == 1 {
      message = Message(status: status, data)
    } else if let first {
      message = Message(status: status, first, data)
    } else {
      (first, isPending) = (data, true)
      return nil
    }
    (first, isPending) = (nil, false)
    if status >= 0xF0 { status = 0 }
    return message
  }

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
      // Begun while another ends without F7: that one is still in the buffer, and cleared by the next byte.
      state = .systemExclusive
    case 0xF7: if !wasExclusive { counters.strayEnd &+= 1 }
    case 0xF4, 0xF5: counters.undefinedStatus &+= 1
    case 0xF6: output.message = .tuneRequest
    default: (status, isPending) = (byte, true)
    }
    return output
  }
}
