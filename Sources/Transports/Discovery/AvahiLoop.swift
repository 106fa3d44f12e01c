import CAvahi
import Glibc
import MusicalTime
import Realtime
import Synchronization

/// What the discovery thread does: it keeps a connection to the Avahi daemon, announces this peer and looks others up.
///
/// Invariants: what changes belongs to the discovery thread, which touches it in ``run()`` and in Avahi's callbacks, and
/// those are called from within ``run()`` alone; other threads reach ``findings``, a lock, and ``stop()``. `poll` lives
/// as long as the loop. Client, group, browser and resolvers live until ``disconnect()``, which frees them together and
/// is not called from a callback. Callbacks get the loop unretained: it outlives its client.
final class AvahiLoop: @unchecked Sendable {
  static let serviceType = "_apple-midi._udp"
  /// How long after a lost connection the next one is tried.
  private static var pause: Nanoseconds { .seconds(1) }
  static let noDaemon =
    "discovery: the Avahi daemon does not run; start it (`systemctl start avahi-daemon`, package avahi-daemon), or name "
    + "peers with --connect HOST:PORT"

  let findings = Mutex(Findings())
  /// How often a name was not looked at for want of room.
  let ignored = Atomic(0)
  private let onChange: @Sendable () -> Void
  private let isStopping = Atomic(false)
  private let poll: OpaquePointer?

  /// What is announced, and under which name it is by now; nil when nothing is.
  var announcement: Announcement?
  /// The name that whoever asks believes it to be announced by.
  var announcedName: String?
  /// Which family is announced and looked for.
  let family: AvahiProtocol

  var client: OpaquePointer?
  var group: OpaquePointer?
  var browser: OpaquePointer?
  /// The look-ups by name.
  var resolvers: [String: OpaquePointer] = [:]
  var directory = ServiceDirectory()
  /// The connection is of no use any more.
  var isBroken = false
  private var nextTry = MonotonicClock.now
  private var isToldUnavailable = false

  init(_ announcement: Announcement?, ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    self.announcement = announcement
    announcedName = announcement?.name
    self.onChange = onChange
    family = ipv6 ? AvahiProtocol(AVAHI_PROTO_UNSPEC) : AvahiProtocol(AVAHI_PROTO_INET)
    poll = avahi_simple_poll_new()
  }

  deinit { if let poll { avahi_simple_poll_free(poll) } }

  /// Lets ``run()`` return, from any thread.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    if let poll { avahi_simple_poll_wakeup(poll) }
  }

  /// Runs until ``stop()``, then withdraws what is announced.
  func run() {
    while let poll, !isStopping.load(ordering: .acquiring) {
      let now = MonotonicClock.now
      if client == nil, now >= nextTry { connect(poll, at: now) }
      lookUpDue(at: now)
      guard avahi_simple_poll_iterate(poll, patience(at: now)) == 0 else {
        tellUnavailable("discovery: ended (\(String(cString: strerror(errno)))); name peers with --connect HOST:PORT")
        break
      }
      if isBroken {
        disconnect()
        nextTry = MonotonicClock.now + Self.pause
        tellUnavailable()
      }
    }
    disconnect()
  }

  /// How many milliseconds nothing is to be done, unless Avahi has something; -1 for ever.
  private func patience(at now: Instant) -> Int32 {
    guard let next = client == nil ? nextTry : directory.nextDue else { return -1 }
    let rest: Nanoseconds = next - now
    return Int32(clamping: max(rest.count, 0) / 1_000_000 + 1)
  }

  private func connect(_ poll: OpaquePointer, at now: Instant) {
    var code: Int32 = 0
    // It calls back before it returns. Without a daemon it waits for one; without a bus it fails.
    client = avahi_client_new(avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, clientChanged, context, &code)
    guard client == nil else { return }
    disconnect()
    nextTry = now + Self.pause
    tellUnavailable()
  }

  /// Frees the connection and with it all that hangs on it.
  private func disconnect() {
    if let client { avahi_client_free(client) }
    (client, group, browser, isBroken) = (nil, nil, nil, false)
    resolvers.removeAll()
    directory.removeAll()
    change { $0.removeAll() }
  }

  /// The daemon's state.
  func changed(_ client: OpaquePointer, to state: AvahiClientState) {
    self.client = client
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      isToldUnavailable = false
      announce(client)
      browse(client)
    // The host's own name is being settled: what names it is announced again after that.
    case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
      if let group { avahi_entry_group_reset(group) }
    case AVAHI_CLIENT_CONNECTING: tellUnavailable()
    default: isBroken = true
    }
  }

  /// Tells why nobody is found, once until the daemon is there again.
  func tellUnavailable(_ line: String = AvahiLoop.noDaemon) {
    guard !isToldUnavailable else { return }
    isToldUnavailable = true
    change { $0.setUnavailable(line) }
  }

  /// The service of that name is now `service`, or none.
  func set(_ name: String, _ service: Discovery.Service?) {
    if findings.withLock({ $0.set(name, service) }) { onChange() }
  }

  /// Changes what there is to tell, and calls whoever wants to know.
  func change(_ body: (inout Findings) -> Void) {
    findings.withLock { body(&$0) }
    onChange()
  }

  /// The loop as the callbacks get it.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

// A global function, as C wants it; `context` is the loop.
private func clientChanged(
  _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
  guard let client, let context else { return }
  Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().changed(client, to: state)
}
