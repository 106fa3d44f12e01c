import CRealtime
import Glibc
public import MusicalTime
import Realtime
import Synchronization

/// Announces this peer and finds others by DNS-SD (RFC 6763) through the Avahi daemon, as RTP-MIDI sessions do: service
/// type `_apple-midi._udp`, the control port's number, and in the TXT record of a Tutti peer `tutti=` with its identity.
///
/// It has a thread of its own, at normal priority, which may wait for the daemon; nobody else does. It needs neither the
/// daemon nor the system bus to be there: it says once that they are missing and begins when they come, however often they
/// go. Whatever the network announces, at most 1000 names are kept; a name seen beyond that is counted and not looked at
/// before it is announced anew.
///
/// Real-time: not safe.
public final class Discovery: Sendable {
  private let loop: AvahiLoop
  private let thread: Mutex<pthread_t?>

  /// Announces a peer and looks for others, until ``stop()``.
  ///
  /// - Parameters:
  ///   - name: for people; what is longer than 63 octets is cut, and what is taken already gets a number.
  ///   - port: the control port that is bound.
  ///   - identity: what Tutti peers know this peer by.
  ///   - ipv6: whether the port is bound for IPv6 too (``UDPSocket/isDualStack``). Else it is announced by IPv4 alone.
  ///   - onChange: called on the discovery thread when ``drain()`` has something to give. It is not to call ``stop()``.
  public convenience init(
    name: String, port: UInt16, identity: UInt64, ipv6: Bool, onChange: @escaping @Sendable () -> Void
  ) {
    self.init(AvahiLoop.Announcement(name: name, port: port, identity: identity), ipv6: ipv6, onChange: onChange)
  }

  /// Looks for others, and announces nothing.
  public convenience init(ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    self.init(nil, ipv6: ipv6, onChange: onChange)
  }

  private init(_ announcement: AvahiLoop.Announcement?, ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    loop = AvahiLoop(announcement, ipv6: ipv6, onChange: onChange)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // Under a memory lock all of a stack is in memory.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(loop)
    let code = pthread_create(&thread, &attributes, runDiscovery, retained.toOpaque())
    self.thread = Mutex(code == 0 ? thread : nil)
    if code != 0 {
      retained.release()
      loop.tellUnavailable(
        "discovery: no thread for it (\(String(cString: strerror(code)))); name peers with --connect HOST:PORT")
    }
  }

  deinit { stop() }

  /// What has changed since the last time. It waits for nobody.
  public func drain() -> [Event] { loop.findings.withLock { $0.drain() } }

  /// How many times a name, or another place of one, was not looked at for want of room.
  public var ignoredCount: Int { loop.ignored.load(ordering: .relaxed) }

  /// Withdraws the announcement and ends the thread; three seconds later at most, should the daemon hang. Not again used
  /// after that.
  public func stop() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let thread else { return }
    loop.stop()
    if realtime_join(thread, (MonotonicClock.now + .seconds(3)).nanoseconds) == 0 { pthread_detach(thread) }
  }

  /// Looks for `duration`: all that was found by then, by name.
  ///
  /// - Throws: ``TransportError`` when there is no daemon to ask.
  public static func browse(for duration: Nanoseconds = .seconds(1)) throws(TransportError) -> [Service] {
    let bell = Doorbell()
    let discovery = Discovery(ipv6: true) { bell.ring() }
    defer { discovery.stop() }
    let end = MonotonicClock.now + duration
    var found: Set<Service> = []
    while true {
      let seen = bell.count
      for event in discovery.drain() {
        switch event {
        case .found(let service): found.insert(service)
        case .lost(let service): found.remove(service)
        case .unavailable(let line): throw TransportError(line)
        case .renamed: break
        }
      }
      guard MonotonicClock.now < end else { return found.sorted { ($0.name, $0.host) < ($1.name, $1.host) } }
      bell.wait(until: end, since: seen)
    }
  }
}

// A global function, not a closure, as in RealtimeThread. It holds the loop until the thread has ended.
private func runDiscovery(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let loop = Unmanaged<AvahiLoop>.fromOpaque(argument).takeRetainedValue()
  realtime_name_thread("discovery")
  loop.run()
  return nil
}
