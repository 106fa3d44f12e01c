import CALSA
import Glibc

/// A client of the ALSA sequencer: ports that other programs can be connected to.
///
/// One thread sends, one receives and one does the rest, each without the others' knowledge. The first two share one
/// handle, whose halves have nothing in common (CALSA says why). The third has a client of its own,
/// without ports, which no program shows: a request to the kernel holds a lock of its client that sending needs too,
/// and a thread of normal priority may be kept from running while it holds it.
///
/// Like `UDPSocket` it is a plain handle, so that real-time threads hold it without reference counting: whoever opened
/// it closes it.
public struct Sequencer: @unchecked Sendable, BitwiseCopyable {
  /// How many arrivals the kernel keeps for us: as many as it lets a client have.
  static let room = 2000

  // Invariant: both are open until `close`, after which nobody uses the copies of this value.
  let handle: OpaquePointer
  let control: OpaquePointer
  let clock: QueueClock
  /// Our client's number, by which others address us.
  public let client: UInt8
  /// Readable when something has arrived. The ALSA library reads many events at once, so it is silent about those read
  /// and not yet received: wait with ``PortPair/wait(and:milliseconds:)``, which knows of them.
  public let descriptor: Int32

  /// Opens a client called `name` with the ports clock, notes, in and, for a peer that takes its clock from a MIDI
  /// port, clock in.
  ///
  /// - Throws: ``TransportError`` when there is no sequencer, or no right to it.
  ///
  /// Real-time: not safe.
  public init(name: String, takingClock: Bool) throws(TransportError) {
    let handle = try Self.open(name: name)
    var control: OpaquePointer?
    do throws(TransportError) {
      let other = try Self.open(name: "\(name) control")
      control = other
      let clock = try QueueClock(control: other, name: name)
      try Self.enlarge(handle)
      for port in Port.allCases where takingClock || port != .clockInput {
        try Self.create(port, on: handle, stampedBy: clock.queue)
      }
      try Self.listenToAnnouncements(handle)
      var poll = pollfd()
      // One descriptor always: the library opens the device once for both directions.
      guard snd_seq_poll_descriptors(handle, &poll, 1, Int16(POLLIN)) == 1 else {
        throw TransportError("ALSA sequencer: it cannot be waited for; leave --midi away")
      }
      (self.handle, self.control, self.clock) = (handle, other, clock)
      client = UInt8(truncatingIfNeeded: snd_seq_client_id(handle))
      descriptor = poll.fd
    } catch {
      snd_seq_close(handle)
      if let control { snd_seq_close(control) }
      throw error
    }
  }

  /// Takes the client with its ports and connections away. Nobody may use it any more.
  ///
  /// Real-time: not safe.
  public func close() {
    snd_seq_close(handle)
    snd_seq_close(control)
  }
}
