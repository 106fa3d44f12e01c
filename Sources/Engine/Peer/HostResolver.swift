import Dispatch
import MusicalTime
import RTPMIDI
import Realtime
import Synchronization
import Transports

/// Resolves the names of the configured hosts on background threads, because a name server can take seconds to answer. A failed
/// look-up is repeated until it succeeds.
final class HostResolver: Sendable {
  /// A host whose addresses are known.
  struct Host: Sendable {
    /// The text that the user has written, such as `studio.local:5004`.
    let name: String
    /// At least one, in the order of preference (RFC 6724).
    let addresses: [SocketAddress]
  }

  /// The time between a failure and the next look-up.
  static let retryInterval = DispatchTimeInterval.seconds(5)

  private struct State {
    /// The names whose addresses ``take()`` has not returned yet, in the order of the configuration.
    var unresolved: [String]
    /// The descriptions of all failures so far. A failure with the same description is not reported again.
    var reported: Set<String> = []
    /// The hosts that ``take()`` returns next.
    var hosts: [Host] = []
    /// The failures that ``take()`` returns next.
    var failures: [TransportError] = []
  }

  private let state: Mutex<State>
  private let bell: Doorbell
  private let resolve: @Sendable (String) throws(TransportError) -> [SocketAddress]
  /// The group of the first look-ups, one per name.
  private let firstLookUps = DispatchGroup()

  /// Starts to resolve `names`. Each result rings `bell`.
  init(
    _ names: [String], bell: Doorbell,
    resolve: @escaping @Sendable (String) throws(TransportError) -> [SocketAddress] = { name throws(TransportError) in
      try SocketAddress.all(resolving: name)
    }
  ) {
    (self.bell, self.resolve) = (bell, resolve)
    state = Mutex(State(unresolved: names))
    for name in names { DispatchQueue.global().async(group: firstLookUps) { [self] in lookUp(name) } }
  }

  /// The names whose addresses ``take()`` has not returned yet.
  var unresolved: [String] { state.withLock { $0.unresolved } }

  /// Waits until the first look-up of each name has ended, at most until `limit`.
  func wait(until limit: DispatchTime) { _ = firstLookUps.wait(timeout: limit) }

  /// Returns the hosts that were resolved and the failures since the last call. A failure that repeats is returned once.
  func take() -> (hosts: [Host], failures: [TransportError]) {
    state.withLock { state in
      defer { (state.hosts, state.failures) = ([], []) }
      for host in state.hosts { state.unresolved.removeAll { $0 == host.name } }
      return (state.hosts, state.failures)
    }
  }

  private func lookUp(_ name: String) {
    do throws(TransportError) {
      let addresses = try resolve(name)
      state.withLock { $0.hosts.append(Host(name: name, addresses: addresses)) }
    } catch {
      state.withLock { if $0.reported.insert(error.description).inserted { $0.failures.append(error) } }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval) { [weak self] in self?.lookUp(name) }
    }
    bell.ring()
  }
}
