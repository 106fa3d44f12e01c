public import BasicContainers
public import MusicalTime
public import RTPMIDI

/// Writes the tags of the datagrams that one thread sends in a session with a passkey.
///
///     content | counter 64 | tag 64
///
/// The lengths are in bits. The tag is the ``SipHash`` of the content, the counter (``TagCounter``) and the port (one
/// octet: 0 control, 1 data), in this order. The counter is little-endian in the hash, like the words of SipHash, but big-endian in the
/// datagram, like all numbers of the protocol. The receiver checks the tag with ``DatagramOpener``. The content can contain the instant at
/// which the datagram leaves. The tag is written after this instant, so that it covers the instant.
public struct DatagramSealer: Sendable, BitwiseCopyable {
  /// The thread that sends. The threads share no state, so each thread counts its own datagrams, and ``TagCounter``
  /// contains the number of the thread.
  public enum Thread: Sendable, BitwiseCopyable {
    case control, clock, network

    fileprivate var index: Int {
      @_noLocks @_noAllocation get {
        switch self {
        case .control: 0
        case .clock: 1
        case .network: 2
        }
      }
    }
  }

  /// The number of octets that ``seal(_:port:at:)`` appends.
  ///
  /// Real-time: safe.
  public static var length: Int { @_noLocks @_noAllocation get { 16 } }

  private let key: TagKey
  private let thread: Thread
  /// The number of datagrams that the thread has sealed so far.
  private var number: UInt64 = 0

  /// Creates a sealer for the datagrams that `thread` sends in the session with `keys`.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ keys: SessionKeys, thread: Thread) { (key, self.thread) = (keys.sending, thread) }

  /// Appends the counter and the tag to a complete datagram.
  ///
  /// - Parameters:
  ///   - datagram: has room for ``length`` more octets.
  ///   - port: the local port that sends the datagram.
  ///   - instant: the present time by the local clock. It must not be much earlier than in the last call, because the
  ///     receiver drops a datagram that is more than one second older than the newest datagram.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func seal(_ datagram: inout RigidArray<UInt8>, port: Port, at instant: Instant) {
    let counter = TagCounter(thread: thread.index, nanoseconds: instant.nanoseconds, number: number)
    number &+= 1
    var hash = SipHash(key: key)
    hash.append(datagram)
    hash.append(counter, port)
    datagram.append(bigEndian: counter.bits)
    datagram.append(bigEndian: hash.finish())
  }
}

extension SipHash {
  /// Appends the counter and the port, which follow the content in the tagged data. They come last, so that the content
  /// is hashed in whole words.
  @_noLocks @_noAllocation
  mutating func append(_ counter: TagCounter, _ port: Port) {
    var shift: UInt64 = 0
    while shift < 64 {
      append(UInt8(truncatingIfNeeded: counter.bits >> shift))
      shift &+= 8
    }
    switch port {
    case .control: append(0)
    case .data: append(1)
    }
  }
}
