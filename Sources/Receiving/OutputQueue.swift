/// Up to two outputs of a ``Receiver`` that are already determined, in order.
///
/// The outputs are elements of an array, because two separate properties of ``Receiver`` made modules that contain a receiver compile up to
/// three times as long. The compiler checks the ownership of each field of a noncopyable type, down to the payloads of enumerations. It
/// does not check the elements of an array.
struct OutputQueue: BitwiseCopyable {
  private var outputs = InlineArray<2, Receiver.Output?>(repeating: nil)

  /// Adds an output at the end. If two outputs are in the queue, the output replaces the last one.
  @_noLocks @_noAllocation
  mutating func append(_ output: Receiver.Output) {
    if case .none = outputs[0] { outputs[0] = output } else { outputs[1] = output }
  }

  /// Removes and returns the first output; nil if the queue is empty.
  @_noLocks @_noAllocation
  mutating func removeFirst() -> Receiver.Output? {
    defer { (outputs[0], outputs[1]) = (outputs[1], nil) }
    return outputs[0]
  }
}
