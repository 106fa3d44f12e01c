import CAvahi
import Glibc
import MusicalTime
import Realtime
import Synchronization

/// The loop of the discovery thread: maintains a connection to the Avahi daemon, announces the local peer and looks up
/// other peers.
///
/// Invariants:
///
/// - All mutable state belongs to the discovery thread, which accesses it in ``run()`` and in Avahi's callbacks. Avahi calls the
///   callbacks only within ``run()``.
/// - Other threads use only ``changes`` (a mutex), ``ignored`` (an atomic) and ``stop()``.
/// - `poll` lives as long as the loop.
/// - Client, group and browser live until ``disconnect()`` frees them, together with all resolvers. A resolver whose look-up ends is
///   freed earlier. No callback calls ``disconnect()``.
/// - Callbacks receive an unretained pointer to the loop, because the loop outlives its client.
final class AvahiLoop: @unchecked Sendable {
  /// The DNS-SD service type of RTP-MIDI sessions.
  static let serviceType = "_apple-midi._udp"
  /// The time between a lost connection and the next attempt.
  private static var retryInterval: Nanoseconds { .seconds(1) }
  /// The message for a missing daemon.
  static let noDaemon =
    "discovery: the Avahi daemon is not running; start it (`systemctl start avahi-daemon`, package avahi-daemon), or "
    + "connect to peers with --connect HOST:PORT"

  /// The changes that the owner of ``Discovery`` has not read yet.
  let changes = Mutex(ServiceChanges())
  /// The number of names and sources that were ignored because a limit of ``ServiceDirectory`` was reached.
  let ignored = Atomic(0)
  private let onChange: @Sendable () -> Void
  private let isStopping = Atomic(false)
  private let poll: OpaquePointer?

  /// The announcement with its current name; nil if nothing is announced.
  var announcement: Announcement?
  /// The name of the local peer as the owner of ``Discovery`` knows it: the requested name, or the name reported last.
  var announcedName: String?
  /// The address families for announcing and browsing.
  let family: AvahiProtocol

  /// The Avahi client, which holds the connection to the daemon.
  var client: OpaquePointer?
  /// The entry group of the announcement.
  var group: OpaquePointer?
  var browser: OpaquePointer?
  /// The resolvers, by the service names that they look up.
  var resolvers: [String: OpaquePointer] = [:]
  var directory = ServiceDirectory()
  /// Whether the connection failed and must be closed.
  var isBroken = false
  /// The instant of the next attempt to connect, while there is no client.
  private var nextAttempt = MonotonicClock.now
  private var hasReportedUnavailable = false

  init(_ announcement: Announcement?, ipv6: Bool, onChange: @escaping @Sendable () -> Void) {
    self.announcement = announcement
    announcedName = announcement?.name
    self.onChange = onChange
    family = ipv6 ? AvahiProtocol(AVAHI_PROTO_UNSPEC) : AvahiProtocol(AVAHI_PROTO_INET)
    poll = avahi_simple_poll_new()
  }

  deinit { if let poll { avahi_simple_poll_free(poll) } }

  /// Makes ``run()`` return. May be called from any thread.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    if let poll { avahi_simple_poll_wakeup(poll) }
  }

  /// Runs until ``stop()``, or until waiting for the daemon fails. Then withdraws the announcement.
  func run() {
    while let poll, !isStopping.load(ordering: .acquiring) {
      let now = MonotonicClock.now
      if client == nil, now >= nextAttempt { connect(poll, at: now) }
      lookUpDue(at: now)
      guard avahi_simple_poll_iterate(poll, timeout(at: now)) == 0 else {
        reportUnavailable(
          "discovery: stopped (\(String(cString: strerror(errno)))); connect to peers with --connect HOST:PORT")
        break
      }
      if isBroken {
        disconnect()
        nextAttempt = MonotonicClock.now + Self.retryInterval
        reportUnavailable()
      }
    }
    disconnect()
  }

  /// Returns the time in milliseconds until the next action; -1 if there is none.
  private func timeout(at now: Instant) -> Int32 {
    guard let next = client == nil ? nextAttempt : directory.nextDue else { return -1 }
    let remaining: Nanoseconds = next - now
    // Plus 1, so that the loop does not wake before the action is due.
    return Int32(clamping: max(remaining.count, 0) / 1_000_000 + 1)
  }

  /// Creates the client, which reaches the daemon through the system bus (D-Bus).
  private func connect(_ poll: OpaquePointer, at now: Instant) {
    var code: Int32 = 0
    // avahi_client_new calls `clientChanged` before it returns. With AVAHI_CLIENT_NO_FAIL, a missing daemon is not an error:
    // the client waits for the daemon. A missing system bus is an error.
    client = avahi_client_new(avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, clientChanged, context, &code)
    guard client == nil else { return }
    // `clientChanged` may have set other properties before the failure.
    disconnect()
    nextAttempt = now + Self.retryInterval
    reportUnavailable()
  }

  /// Frees the client with its group, browser and resolvers, and removes all services.
  private func disconnect() {
    if let client { avahi_client_free(client) }
    (client, group, browser, isBroken) = (nil, nil, nil, false)
    resolvers.removeAll()
    directory.removeAll()
    update { $0.removeAll() }
  }

  /// Handles a change of the state of the connection or the daemon.
  func changed(_ client: OpaquePointer, to state: AvahiClientState) {
    self.client = client
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      hasReportedUnavailable = false
      announce(client)
      browse(client)
    // The daemon is negotiating the host name. The announcement contains the host name and is repeated afterwards.
    case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
      if let group { avahi_entry_group_reset(group) }
    // There is no daemon yet. The client waits for one.
    case AVAHI_CLIENT_CONNECTING: reportUnavailable()
    // AVAHI_CLIENT_FAILURE: the connection is lost.
    default: isBroken = true
    }
  }

  /// Reports why discovery is unavailable. Further calls have no effect until the daemon is available again.
  func reportUnavailable(_ message: String = AvahiLoop.noDaemon) {
    guard !hasReportedUnavailable else { return }
    hasReportedUnavailable = true
    update { $0.setUnavailable(message) }
  }

  /// Sets the service of `name` in ``changes``; nil removes it. Calls `onChange` if this is a change.
  func set(_ name: String, _ service: Discovery.Service?) {
    if changes.withLock({ $0.set(name, service) }) { onChange() }
  }

  /// Updates ``changes`` and calls `onChange`.
  func update(_ body: (inout ServiceChanges) -> Void) {
    changes.withLock { body(&$0) }
    onChange()
  }

  /// The loop as a context pointer for Avahi's callbacks.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

// A global function, because C requires a function pointer. `context` is the loop. Called when the state of the connection or
// of the daemon changes.
private func clientChanged(
  _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
  guard let client, let context else { return }
  Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().changed(client, to: state)
}
