import CRealtime

/// The two ports of an AppleMIDI peer: control on N, data on N + 1.
public struct PortPair: Sendable, BitwiseCopyable {
  public let control: UDPSocket
  public let data: UDPSocket

  /// Whether they take IPv6 and IPv4; IPv4 alone where the kernel has no IPv6.
  public var isDualStack: Bool { control.isDualStack && data.isDualStack }
  /// How many datagrams the kernel has thrown away at either because nobody took them in time, modulo 2^32.
  ///
  /// Real-time: safe.
  public var dropped: UInt32 {
    @_noLocks @_noAllocation get { control.dropped &+ data.dropped }
  }

  /// Binds `port` and the one after it; 0 takes any free pair, the first even.
  ///
  /// - Throws: ``TransportError`` when one of them is taken.
  ///
  /// Real-time: not safe.
  public init(port: UInt16) throws(TransportError) {
    if port != 0 {
      control = try UDPSocket(port: port)
      do {
        data = try UDPSocket(port: port + 1)
      } catch {
        control.close()
        throw error
      }
      return
    }
    for _ in 0..<64 {
      let first = try UDPSocket(port: 0)
      // An even one: node-rtpmidi tells the two ports by that.
      guard first.port % 2 == 0, let second = try? UDPSocket(port: first.port + 1) else {
        first.close()
        continue
      }
      (control, data) = (first, second)
      return
    }
    throw TransportError("UDP ports: no two free ones next to each other; choose one with --port")
  }

  /// Gives both ports back. Nobody may use them any more.
  ///
  /// Real-time: not safe.
  public func close() {
    control.close()
    data.close()
  }

  /// Waits until something has arrived on either port, or at `sequencer` where there is one, `milliseconds` at most.
  ///
  /// Real-time: safe (it waits, as asked).
  @_noLocks @_noAllocation
  public func wait(
    and sequencer: Sequencer? = nil, milliseconds: Int32
  ) -> (control: Bool, data: Bool, sequencer: Bool) {
    // What the ALSA library has read and not handed out makes no descriptor readable: then nobody waits.
    let isBuffered = sequencer?.hasBuffered ?? false
    let readable = realtime_wait_readable(
      control.descriptor, data.descriptor, sequencer?.descriptor ?? -1, isBuffered ? 0 : milliseconds)
    return (readable & 1 != 0, readable & 2 != 0, isBuffered || readable & 4 != 0)
  }
}
