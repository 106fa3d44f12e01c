import MIDI

/// The messages that the repair of one log of the recovery journal emits, in order. They are stored as runs of equal
/// messages. The longest repair has sixteen runs: the eight quarter frames of each of two times of MIDI Time Code.
struct RepairQueue: BitwiseCopyable {
  /// A message that is delivered `count` times.
  private struct Run: BitwiseCopyable {
    var message: Message
    var count: Int

    @_noLocks @_noAllocation
    init(_ message: Message, _ count: Int) { (self.message, self.count) = (message, count) }
  }

  private var runs = InlineArray<16, Run>(repeating: Run(.clock, 0))
  /// The index of the first run.
  private var head = 0
  /// The index after the last run.
  private var tail = 0

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func removeAll() { (head, tail) = (0, 0) }

  /// Appends `message`, to be returned `count` times.
  @_noLocks @_noAllocation
  mutating func append(_ message: Message, count: Int) {
    // No repair has more than 16 runs, so the limit drops nothing.
    guard count > 0, tail < 16 else { return }
    runs[tail] = Run(message, count)
    tail += 1
  }

  /// Removes and returns the first message; nil if the queue is empty.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> Message? {
    guard head < tail else { return nil }
    let message = runs[head].message
    runs[head].count -= 1
    if runs[head].count == 0 { head += 1 }
    if head == tail { (head, tail) = (0, 0) }
    return message
  }
}
