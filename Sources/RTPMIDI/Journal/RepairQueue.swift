import MIDI

/// The messages that repair the state for the current log, in order, stored as runs of equal messages. The longest
/// repair, of two times of MIDI Time Code, has sixteen runs.
struct RepairQueue: BitwiseCopyable {
  private struct Run: BitwiseCopyable {
    var message: Message
    var count: Int

    @_noLocks @_noAllocation
    init(_ message: Message, _ count: Int) { (self.message, self.count) = (message, count) }
  }

  private var runs = InlineArray<16, Run>(repeating: Run(.clock, 0))
  private var head = 0
  private var tail = 0

  @_noLocks @_noAllocation
  init() {}

  @_noLocks @_noAllocation
  mutating func removeAll() { (head, tail) = (0, 0) }

  @_noLocks @_noAllocation
  mutating func append(_ message: Message, count: Int) {
    guard count > 0, tail < 16 else { return }
    runs[tail] = Run(message, count)
    tail += 1
  }

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
