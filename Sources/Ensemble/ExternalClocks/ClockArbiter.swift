public import MusicalTime

/// Selects one of several external clocks, so that the rhythm never follows the ticks of two clocks at once.
///
/// The first clock that starts a rhythm leads: the local peer plays by this clock. The local peer counts the ticks of the other clocks,
/// but does not play by them. When the leading clock stops, is disconnected, or is silent for ``ExternalClock/patience``, another
/// running clock replaces it.
///
/// Real-time: not safe.
public struct ClockArbiter: Sendable {
  /// An external clock as the arbiter sees it.
  public struct Candidate: Sendable {
    var name: String
    var clock: ExternalClock
    var isConnected: Bool

    public init(_ name: String, _ clock: ExternalClock, isConnected: Bool) {
      (self.name, self.clock, self.isConnected) = (name, clock, isConnected)
    }
  }

  /// A notification for the user.
  public enum Notification: Hashable, Sendable {
    /// A second clock runs and is not used, because the clock `beside` leads.
    case unused(String, beside: String)
    /// A clock takes the place of the clock `silent`, which is silent or disconnected.
    case replaced(by: String, silent: String)
  }

  /// The indices of the running clocks that were already reported as unused (``Notification/unused(_:beside:)``).
  private var reported: Set<Int> = []

  public init() {}

  /// Compares all clocks.
  ///
  /// - Parameters:
  ///   - clocks: all external clocks, in the same order in each call.
  ///   - ensemble: the state of the ensemble, which shows the clock by which the rhythm plays.
  /// - Returns: the index of the clock whose rhythm the caller must end (``ExternalClock/yield(_:now:)``), or nil, and the
  ///   notifications.
  public mutating func select(
    among clocks: [Candidate], for ensemble: EnsembleState, now: Instant
  ) -> (yields: Int?, notifications: [Notification]) {
    reported = reported.filter { clocks.indices.contains($0) && clocks[$0].clock.isRunning }
    guard clocks.count > 1, let first = clocks.firstIndex(where: { $0.clock.leads(ensemble) }) else { return (nil, []) }
    let leader = clocks[first]
    var notifications: [Notification] = []
    for n in clocks.indices where n != first && clocks[n].isConnected && clocks[n].clock.isHeard(at: now) {
      if !leader.isConnected || !leader.clock.isHeard(at: now) {
        return (first, notifications + [.replaced(by: clocks[n].name, silent: leader.name)])
      }
      if reported.insert(n).inserted { notifications.append(.unused(clocks[n].name, beside: leader.name)) }
    }
    return (nil, notifications)
  }
}
