/// The totals of the network thread since its start.
struct NetworkCounters: Sendable, BitwiseCopyable {
  /// The number of messages that the budgets of the sessions have refused.
  var refused: Int64 = 0
}
