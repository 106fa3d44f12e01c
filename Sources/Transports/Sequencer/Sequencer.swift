import CALSA
import Glibc

/// A client of the ALSA sequencer, with ports that other programs can connect to.
///
/// One thread sends, one thread receives and a third thread makes all other requests, without synchronization. The sending and
/// the receiving thread share one handle, because sending and receiving use separate parts of it (see CALSA/sequencer.h). The
/// third thread uses a separate client without ports, which does not appear in lists. During a request, the kernel holds the
/// mutex of the client, which the sending thread needs. With a shared client, the third thread, which has normal priority, could
/// be preempted during a request, and the sending thread would have to wait.
///
/// Like `UDPSocket`, the sequencer is a plain handle, so that real-time threads can hold it without reference counting.
/// Its owner closes it.
public struct Sequencer: @unchecked Sendable, BitwiseCopyable {
  /// The size of the kernel's input pool in events: the maximum for a client.
  static let inputPoolSize = 2000

  // Invariant: both handles are open until `close`. After this, no copy of this value is used.
  /// The client with the ports, used by the sending and the receiving thread.
  let handle: OpaquePointer
  /// The client without ports, used for requests.
  let control: OpaquePointer
  /// The clock of the arrival stamps.
  let clock: QueueClock
  /// The number of the client, the first part of the address of its ports.
  public let client: UInt8
  /// A descriptor that becomes readable when an event arrives. The ALSA library reads many events at once, and buffered
  /// events do not make it readable. Use ``PortPair/wait(and:_:milliseconds:)``, which takes buffered events into
  /// account.
  public let descriptor: Int32

  /// Opens a client named `name` with the ports `clock`, `notes` and `in`.
  ///
  /// - Parameters:
  ///   - name: the name of the client.
  ///   - takingClock: whether to create the port `clock in` too, for a peer that follows the clock of a MIDI port.
  ///   - alternative: what the user can do without a sequencer, as the end of the remedy in errors; empty if there is nothing.
  /// - Throws: ``TransportError`` if there is no sequencer or no permission to open it.
  ///
  /// Real-time: not safe.
  public init(name: String, takingClock: Bool, alternative: String = "") throws(TransportError) {
    let handle = try Self.open(name: name, alternative: alternative)
    // For the `catch` below: nil until the client for requests is open.
    var openedControl: OpaquePointer?
    do throws(TransportError) {
      let control = try Self.open(name: "\(name) control", alternative: alternative)
      openedControl = control
      let clock = try QueueClock(control: control, name: name)
      try Self.enlarge(handle)
      for port in Port.allCases where takingClock || port != .clockInput {
        try Self.create(port, on: handle, stampedBy: clock.queue)
      }
      try Self.listenToAnnouncements(handle)
      var poll = pollfd()
      // There is always one descriptor, because the library opens the device once for both directions.
      guard snd_seq_poll_descriptors(handle, &poll, 1, Int16(POLLIN)) == 1 else {
        throw TransportError("ALSA sequencer: cannot wait for events; start the program again")
      }
      (self.handle, self.control, self.clock) = (handle, control, clock)
      client = UInt8(truncatingIfNeeded: snd_seq_client_id(handle))
      descriptor = poll.fd
    } catch {
      snd_seq_close(handle)
      if let openedControl { snd_seq_close(openedControl) }
      throw error
    }
  }

  /// Removes the client with its ports and connections. It must not be used afterwards.
  ///
  /// Real-time: not safe.
  public func close() {
    snd_seq_close(handle)
    snd_seq_close(control)
  }
}
