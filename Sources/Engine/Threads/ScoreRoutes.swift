import MIDI
import Sending
import Transports

/// The parts of the score that MIDI devices play. Each part also sounds at the local peer, at its level there. A trivial value, which a triple
/// buffer passes to the clock thread.
struct ScoreRoutes: Sendable, BitwiseCopyable {
  /// The maximum number of routes.
  static var maximum: Int { @_noLocks @_noAllocation get { 16 } }

  /// A device that plays a part.
  struct Route: Hashable, Sendable, BitwiseCopyable {
    /// Where the messages go.
    enum Target: Hashable, Sendable, BitwiseCopyable {
      /// To an ALSA port, from the port `notes`.
      case port(SequencerAddress)
      /// To an RTP-MIDI device.
      case stream(StreamID)

      @_noLocks @_noAllocation
      static func areEqual(_ a: Target, _ b: Target) -> Bool {
        switch (a, b) {
        case (.port(let a), .port(let b)): a == b
        case (.stream(let a), .stream(let b)): a == b
        case (.port, .stream), (.stream, .port): false
        }
      }
    }

    /// The number of the part, 0...63.
    var part: UInt8
    var target: Target
    var channel: Channel
  }

  private var routes = InlineArray<16, Route>(
    repeating: Route(part: 0, target: .port(SequencerAddress(client: 0, port: 0)), channel: Channel(wire: 0)))
  /// The number of routes.
  private(set) var count = 0

  /// No routes.
  init() {}

  /// - Parameter routes: routes after the sixteenth are left out.
  init(_ routes: [Route]) {
    for route in routes.prefix(Self.maximum) {
      self.routes[count] = route
      count += 1
    }
  }

  /// The route with an index, 0..<``count``.
  subscript(index: Int) -> Route { @_noLocks @_noAllocation get { routes[index] } }
}
