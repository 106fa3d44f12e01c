/// The counters of the network thread since its start.
struct NetworkCounters: Sendable, BitwiseCopyable {
  /// The number of messages of remote peers and of the local player that were refused: ``Receiver/refused``.
  var refused: Int64 = 0
  /// Datagrams that were dropped because their session has a passkey and their tag is missing or not valid.
  var notAuthentic: Int64 = 0
  /// Datagrams of sources without a session that were dropped because there were too many (``StrangerFilter``).
  var limited: Int64 = 0
  /// Pauses because the thread had used its share of the processor (``ProcessorBudget``).
  var pauses: Int64 = 0
}
