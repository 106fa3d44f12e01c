import MusicalTime

/// One tick of a trace: when it was due, when the peer acted on it, and what the peer then believed of the master's
/// clock.
public struct TraceTick: Hashable, Sendable, BitwiseCopyable {
  public var tick: Tick
  /// In the peer's own clock.
  public var due: Instant
  /// In the peer's own clock.
  public var acted: Instant
  /// The master's clock minus the peer's own, as the peer estimates it; nil at the master.
  public var offset: Nanoseconds?
  /// How far off the peer takes its estimate to be; nil at the master.
  public var uncertainty: Nanoseconds?

  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(
    tick: Tick, due: Instant, acted: Instant, offset: Nanoseconds? = nil, uncertainty: Nanoseconds? = nil
  ) {
    self.tick = tick
    self.due = due
    self.acted = acted
    self.offset = offset
    self.uncertainty = uncertainty
  }

  /// The greatest magnitude of any number a trace may hold: 2^61 ns is 73 years, and the differences of two such
  /// numbers, a trace's clock put right included, fit Int64.
  static let limit: Int64 = 1 << 61

  /// Appends the tick's line, its end included: `{"tick":n,"due":ns,"acted":ns,"offset":ns,"uncertainty":ns}`, null
  /// where there is nothing to say.
  func append(to bytes: inout [UInt8]) {
    func member(_ name: String, _ value: Int64?) {
      bytes.append(contentsOf: name.utf8)
      if let value { Self.append(value, to: &bytes) } else { bytes.append(contentsOf: "null".utf8) }
    }
    member("{\"tick\":", tick.index)
    member(",\"due\":", due.nanoseconds)
    member(",\"acted\":", acted.nanoseconds)
    member(",\"offset\":", offset?.count)
    member(",\"uncertainty\":", uncertainty?.count)
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
  }

  private static func append(_ value: Int64, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let first = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[first...].reverse()
  }
}
