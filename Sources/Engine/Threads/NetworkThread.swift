import Realtime
import Receiving
import Synchronization
import Transports

/// The connections of the network thread to the other threads: rings for events, triple buffers for state.
struct NetworkRings: Sendable, BitwiseCopyable {
  // From the control thread. The signal wakes the network thread.
  let commands = SPSCRing<ReceivingCommand>(capacity: 4096)
  let signal = EventSignal()
  /// Memory for more sessions. The control thread gives it before the command that needs it.
  let memory = Handover<SessionBlock>()
  /// The settings of the instrument and of the phrase of the local player.
  let instrument = TripleBuffer(InstrumentSettings())
  // To the control thread.
  /// The datagrams and packets that have arrived at the UDP ports, and the messages and actions of the local player, in order.
  let events = SPSCRing<NetworkEvent>(capacity: 8192)
  /// The data of the System Exclusives in ``events``, in order.
  let exclusives = SPSCRing<ReceivedSystemExclusive>(capacity: 1024)
  /// The datagrams to which ``events`` refers.
  let datagrams = SPSCRing<ControlDatagram>(capacity: 4096)
  let arrivals = SPSCRing<SequencerArrival>(capacity: 2048)
  let counters = TripleBuffer(NetworkCounters())
  /// The bell of the control thread.
  let bell: Doorbell
  /// To the clock thread: the messages of the local player. To the audio threads: the messages that sound.
  let clock: ClockRings
  /// Whether messages also go to ``SoundRings/recording``.
  let hasSecondAudioThread: Bool

  init(bell: Doorbell, clock: ClockRings = ClockRings(), hasSecondAudioThread: Bool = false) {
    (self.bell, self.clock, self.hasSecondAudioThread) = (bell, clock, hasSecondAudioThread)
  }
}

/// The network thread, with FIFO priority 65. The thread sleeps until a datagram or an ALSA event arrives. In a flood, it uses
/// at most a quarter of a core (``ProcessorBudget``).
final class NetworkThread {
  private let thread: RealtimeThread
  private let quit = Quit()
  private let signal: EventSignal
  /// Whether the thread has ended.
  private(set) var isStopped = false

  var schedulingPolicy: SchedulingPolicy { thread.schedulingPolicy }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - identity: the identity of the local peer.
  ///   - hasPasskey: whether the local peer has a passkey.
  init(ports: PortPair, sequencer: Sequencer?, identity: UInt64, hasPasskey: Bool, rings: NetworkRings) {
    let quit = quit
    signal = rings.signal
    thread = RealtimeThread(name: "network", priority: 65) {
      var loop = NetworkLoop(
        ports: ports, sequencer: sequencer, identity: identity, hasPasskey: hasPasskey, rings: rings)
      while !quit.flag.load(ordering: .acquiring) {
        loop.round()
        loop.pause()
      }
      // The last commands may end notes. Without these commands, the notes would sound on.
      loop.executeCommands()
    }
  }

  /// Ends the thread after it has executed all commands, and waits for its end.
  func stop() {
    quit.flag.store(true, ordering: .releasing)
    signal.signal()
    thread.join()
    isStopped = true
  }

  /// The flag by which ``stop()`` ends the thread.
  private final class Quit: Sendable {
    let flag = Atomic<Bool>(false)
  }
}
