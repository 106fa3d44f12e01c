import MIDI
import Testing
import _TestSupport
import _TestTraits

/// A test that pymidi 0.5.0 decodes the messages of a `PacketSender`, in packets without a recovery journal.
///
/// In packets with a journal, pymidi loses messages: it mistakes the S bit of the journal for the Y bit, and looks for a system
/// journal that is not there. If Python or PyPI is missing, the test is cancelled with the reason.
@Suite(.ownThreads) struct PymidiMessageTests {
  @Test(.timeLimit(.minutes(10))) func pymidiDecodesEveryMessage() async throws {
    let listener: PymidiListener
    do {
      listener = try await PymidiListener(in: try TemporaryFolder())
    } catch let error as Unavailable {
      try Test.cancel("\(error)")
    }
    let channels = [Channel(1)!, Channel(10)!, Channel(16)!]
    var session = try LoopbackSession(inviting: listener.port)
    try session.send(.start, .clock)
    for channel in channels {
      try session.send(
        .noteOn(channel, key: 60, velocity: 100), .noteOn(channel, key: 127, velocity: 1),
        .noteOn(channel, key: 127, velocity: 0), .noteOff(channel, key: 60, velocity: 33),
        .controlChange(channel, controller: 7, value: 127), .controlChange(channel, controller: 123, value: 0),
        .clock)
    }
    try session.send(.stop)
    try session.end()

    var (commands, log): ([[[UInt8]]?], [String]) = ([], [])
    for event in try await listener.end() {
      switch event {
      case .packet(_, let received): commands.append(received)
      case .log(let text): log.append(text)
      default: break
      }
    }
    let sent: [[[UInt8]]] = [0, 9, 15].flatMap { (channel: UInt8) -> [[[UInt8]]] in
      [
        [[0x90 | channel, 60, 100]], [[0x90 | channel, 127, 1]], [[0x90 | channel, 127, 0]],
        [[0x80 | channel, 60, 33]], [[0xB0 | channel, 7, 127]], [[0xB0 | channel, 123, 0]], [[0xF8]],
      ]
    }
    #expect(commands == [[[0xFA]], [[0xF8]]] + sent + [[[0xFC]]])
    // pymidi has logged no warning: it has received no command that it does not know.
    #expect(log == [])
  }
}
