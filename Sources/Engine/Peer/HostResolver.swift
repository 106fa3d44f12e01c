import Dispatch
import MusicalTime
import RTPMIDI
import Realtime
import Synchronization
import Transports

/// Resolves the names of hosts on background threads, because a name server can take seconds to answer. A failed look-up is repeated until it
/// succeeds: the name may appear later. Each name is reported once, at the latest when no answer has come for a second.
final class HostResolver: Sendable {
  /// A name to resolve.
  struct Query: Sendable {
    /// The text that the user has written, such as `studio.local:5004`.
    let name: String
    /// What the user writes before an address in this place, such as `--connect `, for the error.
    let form: String
  }

  /// A host whose addresses are known.
  struct Host: Sendable {
    /// ``Query/name``.
    let name: String
    /// At least one, in the order of preference (RFC 6724).
    let addresses: [SocketAddress]
  }

  /// A name that was not found, or not yet.
  struct Failure: Sendable {
    /// ``Query/name``.
    let name: String
    let error: TransportError
  }

  /// The time between a failure and the next look-up.
  static let retryInterval = DispatchTimeInterval.seconds(5)

  private struct State {
    /// The names whose addresses ``take()`` has not returned yet, in the order in which they were given.
    var unresolved: [String] = []
    /// The names whose first look-up has not ended yet.
    var pending: Set<String> = []
    /// The first failure of each name. Later failures of the name are not reported.
    var reported: [String: TransportError] = [:]
    /// The hosts that ``take()`` returns next.
    var hosts: [Host] = []
    /// The failures that ``take()`` returns next.
    var failures: [Failure] = []

    mutating func report(_ error: TransportError, of name: String) {
      guard reported[name] == nil else { return }
      reported[name] = error
      failures.append(Failure(name: name, error: error))
    }
  }

  private let state = Mutex(State())
  private let bell: Doorbell
  private let patience: DispatchTimeInterval
  private let resolve: @Sendable (Query) throws(TransportError) -> [SocketAddress]
  /// The group of the first look-ups, one per name.
  private let firstLookUps = DispatchGroup()

  /// Starts to resolve the names. Each result rings `bell`.
  ///
  /// - Parameter patience: a name server that has not answered after this time is reported.
  init(
    _ queries: [Query], bell: Doorbell, patience: DispatchTimeInterval = .seconds(1),
    resolve: @escaping @Sendable (Query) throws(TransportError) -> [SocketAddress] = { query throws(TransportError) in
      try SocketAddress.all(resolving: query.name, form: query.form)
    }
  ) {
    (self.bell, self.patience, self.resolve) = (bell, patience, resolve)
    for query in queries { add(query) }
  }

  /// Starts to resolve one more name. If the name is being resolved already and has failed before, this failure is reported again.
  func add(_ query: Query) {
    let isNew = state.withLock { state in
      guard state.unresolved.contains(query.name) else {
        state.unresolved.append(query.name)
        state.pending.insert(query.name)
        state.reported[query.name] = nil
        return true
      }
      if let error = state.reported.removeValue(forKey: query.name) { state.report(error, of: query.name) }
      return false
    }
    guard isNew else { return bell.ring() }
    DispatchQueue.global().async(group: firstLookUps) { [self] in lookUp(query) }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in self?.reportSilence(query) }
  }

  /// The names whose addresses ``take()`` has not returned yet.
  var unresolved: [String] { state.withLock { $0.unresolved } }

  /// Waits until the first look-up of each name has ended, at most until `limit`.
  func wait(until limit: DispatchTime) { _ = firstLookUps.wait(timeout: limit) }

  /// Returns the hosts that were resolved and the names that were not found since the last call.
  func take() -> (hosts: [Host], failures: [Failure]) {
    state.withLock { state in
      defer { (state.hosts, state.failures) = ([], []) }
      for host in state.hosts { state.unresolved.removeAll { $0 == host.name } }
      return (state.hosts, state.failures)
    }
  }

  private func lookUp(_ query: Query) {
    do throws(TransportError) {
      let addresses = try resolve(query)
      state.withLock { state in
        state.pending.remove(query.name)
        state.hosts.append(Host(name: query.name, addresses: addresses))
      }
    } catch {
      state.withLock { state in
        state.pending.remove(query.name)
        state.report(error, of: query.name)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval) { [weak self] in self?.lookUp(query) }
    }
    bell.ring()
  }

  /// Reports a name whose first look-up has not ended in time.
  private func reportSilence(_ query: Query) {
    state.withLock { state in
      guard state.pending.contains(query.name) else { return }
      state.report(.unknownHost(query.name, "no answer from the name server", form: query.form), of: query.name)
    }
    bell.ring()
  }
}
