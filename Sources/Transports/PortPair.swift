import CRealtime
public import Realtime

/// The two UDP ports of an AppleMIDI participant: control on port N, data on port N + 1.
public struct PortPair: Sendable, BitwiseCopyable {
  /// The control port.
  public let control: UDPSocket
  /// The data port.
  public let data: UDPSocket

  /// Whether the ports accept IPv6 and IPv4. If false, the kernel has no IPv6, and the ports accept only IPv4.
  ///
  /// Real-time: not safe.
  public var isDualStack: Bool { control.isDualStack && data.isDualStack }
  /// The number of datagrams that the kernel dropped on both ports because the receive buffer was full, or because of
  /// ``dropForeignDatagrams()``, modulo 2^32.
  ///
  /// Real-time: safe.
  public var dropped: UInt32 {
    @_noLocks @_noAllocation get { control.dropped &+ data.dropped }
  }

  /// Binds `port` and `port + 1`.
  ///
  /// - Parameter port: the control port, at most 65534; 0 binds any free pair with an even control port.
  /// - Throws: ``TransportError`` if a port is in use or not permitted. It says which port this is.
  ///
  /// Real-time: not safe.
  public init(port: UInt16) throws(TransportError) {
    if port != 0 {
      control = try UDPSocket(port: port)
      do {
        data = try UDPSocket(port: port + 1, role: "the data port of --port \(port)")
      } catch {
        control.close()
        throw error
      }
      return
    }
    for _ in 0..<64 {
      let first = try UDPSocket(port: 0)
      // The number of the control port must be even, because node-rtpmidi recognises the control port by its even number. If the
      // number is odd, or if the next port is in use, another port is tried.
      guard first.port % 2 == 0, let second = try? UDPSocket(port: first.port + 1) else {
        first.close()
        continue
      }
      (control, data) = (first, second)
      return
    }
    throw TransportError(
      "UDP ports: no free pair found in 64 attempts; close other programs that use the network")
  }

  /// Makes the kernel drop foreign datagrams: all except those that begin with FF FF (the AppleMIDI commands) and, at the data port,
  /// RTP packets with the payload type 97. Foreign datagrams then cost almost no processor time and take no room in the receive
  /// buffers. Has no effect if the kernel does not support such filters.
  ///
  /// Real-time: not safe.
  public func dropForeignDatagrams() {
    // The second argument: whether RTP packets pass the filter.
    _ = realtime_filter(control.descriptor, 0)
    _ = realtime_filter(data.descriptor, 1)
  }

  /// Closes both sockets. They must not be used afterwards.
  ///
  /// Real-time: not safe.
  public func close() {
    control.close()
    data.close()
  }

  /// Waits until a datagram arrives on a port, an event arrives at `sequencer`, or `signal` is raised, but at most
  /// `milliseconds`. Clears `signal`.
  ///
  /// - Returns: which of the ports and the sequencer have data.
  ///
  /// Real-time: safe (it waits by design).
  @_noLocks @_noAllocation
  public func wait(
    and sequencer: Sequencer? = nil, _ signal: EventSignal? = nil, milliseconds: Int32
  ) -> (control: Bool, data: Bool, sequencer: Bool) {
    // Events in the buffer of the ALSA library do not make the descriptor readable. If there are such events, do not wait.
    let isBuffered = sequencer?.hasBuffered ?? false
    var descriptors: InlineArray<4, Int32> = [
      control.descriptor, data.descriptor, sequencer?.descriptor ?? -1, signal?.descriptor ?? -1,
    ]
    // Invariant: the pointer covers the whole array and is used only during the call.
    let readable = withUnsafeMutablePointer(to: &descriptors) {
      realtime_wait_readable(
        UnsafeRawPointer($0).assumingMemoryBound(to: Int32.self), 4, isBuffered ? 0 : milliseconds)
    }
    if readable & 8 != 0 { signal?.clear() }
    // One bit per descriptor, in the order of the array.
    return (readable & 1 != 0, readable & 2 != 0, isBuffered || readable & 4 != 0)
  }
}
