import CRealtime
import Glibc
public import MusicalTime
import Realtime
import Synchronization

/// Announces the local peer and finds other peers by DNS-SD (RFC 6763), through the Avahi daemon.
///
/// As for all RTP-MIDI sessions, the service type is `_apple-midi._udp` and the port is the control port. The TXT
/// record of a Tutti peer contains the key `tutti` with its identity.
///
/// Discovery has its own thread at normal priority. Only this thread waits for the daemon. If the daemon or the system
/// bus is missing or disappears, discovery reports this once. It starts, or starts again, when both are available. At
/// most 1000 names are kept. Further names are counted and ignored until they are announced again.
///
/// Real-time: not safe.
public final class Discovery: Sendable {
  private let loop: AvahiLoop
  private let thread: Mutex<pthread_t?>

  /// Announces the local peer and browses for others until ``stop()``.
  ///
  /// - Parameters:
  ///   - name: the service name. A name longer than 63 octets is truncated. If the name is in use, the first four digits of the
  ///     identity are appended.
  ///   - port: the control port, already bound.
  ///   - identity: the identity of the local peer.
  ///   - ipv6: whether the port is also bound for IPv6 (``UDPSocket/isDualStack``). Otherwise only IPv4 is used.
  ///   - onChange: called on the discovery thread when ``drain()`` has new events. It must not call ``stop()``.
  public convenience init(
    name: String, port: UInt16, identity: UInt64, ipv6: Bool, onChange: @escaping @Sendable () -> Void
  ) {
    self.init(AvahiLoop.Announcement(name: name, port: port, identity: identity), ipv6: ipv6, onChange: onChange)
  }

  /// Browses for peers without announcing the local peer.
  ///
  /// - Parameters:
  ///   - ipv6: whether to browse with IPv6 and IPv4. Otherwise only IPv4 is used.
  ///   - onChange: called on the discovery thread when ``drain()`` has new events. It must not call ``stop()``.
  public convenience init(ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    self.init(nil, ipv6: ipv6, onChange: onChange)
  }

  private init(_ announcement: AvahiLoop.Announcement?, ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    loop = AvahiLoop(announcement, ipv6: ipv6, onChange: onChange)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // With a memory lock the complete stack is resident, so it must be small.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(loop)
    let code = pthread_create(&thread, &attributes, runDiscovery, retained.toOpaque())
    self.thread = Mutex(code == 0 ? thread : nil)
    if code != 0 {
      retained.release()
      loop.reportUnavailable(
        "discovery: cannot start a thread (\(String(cString: strerror(code)))); connect to peers with --connect HOST:PORT"
      )
    }
  }

  deinit { stop() }

  /// Whether the Avahi daemon runs on this machine.
  ///
  /// Real-time: not safe.
  public static var hasDaemon: Bool { access("/run/avahi-daemon/socket", F_OK) == 0 }

  /// Returns the changes since the last call. Does not wait for the daemon.
  public func drain() -> [Event] { loop.changes.withLock { $0.drain() } }

  /// The number of service names, and of pairs of interface and address family, that were ignored because of the limits: 1000 names,
  /// and 32 such pairs per name.
  public var ignoredCount: Int { loop.ignored.load(ordering: .relaxed) }

  /// Begins to withdraw the announcement and to end the thread. Returns at once. ``stop()`` must follow.
  public func withdraw() { loop.stop() }

  /// Withdraws the announcement and ends the thread. Returns after at most three seconds, even if the daemon hangs. The
  /// object must not be used afterwards.
  public func stop() {
    // The first call takes the thread, so a second call does nothing.
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let thread else { return }
    loop.stop()
    // 0 means that the thread has not ended in time. The thread is then abandoned.
    if realtime_join(thread, (MonotonicClock.now + .seconds(3)).nanoseconds) == 0 { pthread_detach(thread) }
  }

  /// Browses for `duration`. Returns all services found, sorted by name.
  ///
  /// - Throws: ``TransportError`` if discovery is unavailable, for example because the daemon is not running.
  public static func browse(for duration: Nanoseconds = .seconds(1)) throws(TransportError) -> [Service] {
    let bell = Doorbell()
    let discovery = Discovery(ipv6: true) { bell.ring() }
    defer { discovery.stop() }
    let end = MonotonicClock.now + duration
    var found: Set<Service> = []
    while true {
      // The count is read before the events. An event that arrives after `drain()` then changes the count and ends the wait.
      let bellCount = bell.count
      for event in discovery.drain() {
        switch event {
        case .found(let service): found.insert(service)
        case .lost(let service): found.remove(service)
        case .unavailable(let message): throw TransportError(message)
        case .renamed: break
        }
      }
      guard MonotonicClock.now < end else { return found.sorted { ($0.name, $0.host) < ($1.name, $1.host) } }
      bell.wait(until: end, since: bellCount)
    }
  }
}

// A global function, not a closure: a closure inherits the actor isolation of the code around it, if that code has one, and the
// new thread runs outside every actor. The function retains the loop until the thread ends.
private func runDiscovery(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let loop = Unmanaged<AvahiLoop>.fromOpaque(argument).takeRetainedValue()
  realtime_name_thread("discovery")
  loop.run()
  return nil
}
