public import MIDI
public import MusicalTime
import RTPMIDI
import Sending

// The messages of the local player.
extension Receiver {
  /// Plays a message that a program of the local player, such as a sequencer, has sent to the local peer. ``next()`` returns the
  /// outputs.
  ///
  /// - Parameter arrival: the arrival of the message, by the clock of the driver.
  /// - Precondition: ``next()`` has returned nil.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message, from program: ProgramID, at arrival: Instant) {
    if admits(message, from: program, at: arrival) { play(message, from: program) }
  }

  /// Plays a message for which ``admits(_:from:at:)`` has returned true.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func play(_ message: Message, from program: ProgramID) { player.play(message, from: program) }

  /// Returns whether the limit of the programs at the local peer (``InputLimit``) admits a message. A message that ends a note of the
  /// program is always admitted. A value that waits is returned by ``nextOfLimit(at:)`` later.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func admits(_ message: Message, from program: ProgramID, at arrival: Instant) -> Bool {
    player.admits(message, from: program, at: arrival)
  }

  /// Whether a message of the local player changes the sound of the instrument of another player.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public func shapesOtherInstrument(_ message: Message) -> Bool {
    guard message.shapesInstrument, let channel = message.channel else { return false }
    if case .some = player.routes[Int(channel.wire)].shapedChannel { return true }
    return false
  }

  /// Ends the notes that programs hold, because they have disconnected. ``next()`` returns the outputs.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public mutating func releaseNotes(of selection: ProgramID.Selection) { player.release(selection) }

  /// Returns the next output of the messages of the local player; nil after the last one. The last outputs are the messages of
  /// ``ReceivingCommand/endNotesAsPlayed(_:)``, which release the held notes and pedals at one peer on their input channels.
  @_noLocks @_noAllocation
  mutating func nextOfPlayer() -> Output? {
    while true {
      if let output = delivery?.next() { return output }
      delivery = nil
      guard let next = player.next() else { break }
      delivery = PlayerDelivery(next)
    }
    guard let message = endsAsPlayed.held.releaseNext(), let stream = endsAsPlayed.stream else { return nil }
    return .send(StreamMessage(message, at: nil, to: .stream(stream)))
  }
}

/// The outputs of one delivery of the local player, in this order: the sound, the messages to other peers, the copy for the
/// control thread.
struct PlayerDelivery: BitwiseCopyable {
  /// The next output. `sendUnchanged` sends the message on its input channel to the standard devices (``PlayerRoute/channel``).
  private enum Stage: BitwiseCopyable { case sound, send, sendUnchanged, report, done }

  private let message: Message
  private let route: PlayerRoute
  private let isOfPage: Bool
  private var stage: Stage

  @_noLocks @_noAllocation
  init(_ delivery: LocalPlayer.Delivery) {
    (message, route, isOfPage) = (delivery.message, delivery.route, delivery.isOfPage)
    stage =
      switch delivery.route.receiver {
      case .all: .sound
      case .stream: .send
      case .none: .report
      }
  }

  /// Returns the next output; nil after the last one.
  @_noLocks @_noAllocation
  mutating func next() -> Receiver.Output? {
    let routed = message.on(message.shapesInstrument ? route.shapedChannel ?? route.channel : route.channel)
    switch stage {
    case .sound:
      stage = .send
      return .sound(routed, from: nil)
    case .send:
      if case .stream(let stream) = route.receiver {
        stage = .report
        return .send(StreamMessage(routed, at: nil, to: .stream(stream)))
      }
      stage = .sendUnchanged
      return .send(StreamMessage(routed, at: nil, to: .tuttiPeers))
    case .sendUnchanged:
      stage = .report
      return .send(StreamMessage(message, at: nil, to: .standardDevices))
    case .report:
      stage = .done
      var soundedOn: Channel?
      if case .all = route.receiver { soundedOn = route.channel }
      return .reception(.played(message, soundedOn: soundedOn, from: isOfPage ? .page : .player))
    case .done: return nil
    }
  }
}
