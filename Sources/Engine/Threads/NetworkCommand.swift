import Receiving

/// A command from the control thread to the network thread.
enum NetworkCommand: Sendable, BitwiseCopyable {
  /// A command to the ``Receiver``.
  case receiving(ReceivingCommand)
  /// Changes the value of the control `tilt forward` (controller 1) of the local player by this difference.
  case tilt(by: Int)
}
