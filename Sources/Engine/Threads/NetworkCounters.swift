/// The totals of the network thread since its start.
struct NetworkCounters: Sendable, BitwiseCopyable {
  /// The number of messages that the budgets of the sessions have refused.
  var refused: Int64 = 0
  /// Datagrams of sources without a session that were dropped because there were too many (``StrangerFilter``).
  var limited: Int64 = 0
  /// Pauses because the thread had used its share of the processor (``ProcessorBudget``).
  var pauses: Int64 = 0
}
