import MusicalTime
import Realtime
import Receiving
import Synchronization
import Transports

/// The connections of the network thread to the other threads: rings for events, triple buffers for state.
struct NetworkRings: Sendable, BitwiseCopyable {
  // From the control thread. The signal wakes the network thread.
  let commands = SPSCRing<NetworkCommand>(capacity: 4096)
  let signal = EventSignal()
  /// Memory for more sessions. The control thread gives it before the command that needs it.
  let memory = Handover<SessionBlock>()
  /// The settings of the instrument and of the phrase of the local player.
  let instrument = TripleBuffer(InstrumentSettings())
  // To the control thread.
  /// The datagrams and packets that have arrived at the UDP ports, and the messages and actions of the local player, in order.
  let events = SPSCRing<NetworkEvent>(capacity: 8192)
  /// The data of the System Exclusives in ``events``, in order.
  let exclusives = SPSCRing<ReceivedSystemExclusive>(capacity: 512)
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
  let rings: NetworkRings
  private let ports: PortPair
  private let thread: RealtimeThread
  private let quit = Quit()
  /// Whether the thread has ended.
  private var isStopped = false
  /// The number of sessions for which the thread has memory.
  private var capacity = SessionBlock.slots
  private var newestCounters = NetworkCounters()
  /// The number of datagrams that the kernel dropped before the thread read them. 0 until the thread has ended.
  private(set) var discarded: Int64 = 0

  /// The newest counters of the thread.
  var counters: NetworkCounters {
    if let newest = rings.counters.take() { newestCounters = newest }
    return newestCounters
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - identity: the identity of the local peer.
  ///   - hasPasskey: whether the local peer has a passkey.
  init(ports: PortPair, sequencer: Sequencer?, identity: UInt64, hasPasskey: Bool, rings: NetworkRings) {
    let quit = quit
    (self.rings, self.ports) = (rings, ports)
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

  /// Sends a command to the thread, which executes the command after the next ``NetworkRings/signal``. If the command opens a session that
  /// needs new memory, passes this memory, too.
  func execute(_ command: NetworkCommand) {
    // While the peer leaves, the last datagrams can begin sessions. The thread has then ended and takes no memory.
    guard !isStopped else { return }
    if case .receiving(.open(let slot, _, _, _, _)) = command, slot >= capacity {
      // `memory` holds one block. The thread has taken the previous block when it has executed the command for which that block was given.
      while rings.memory.isFull { wait() }
      rings.memory.give(SessionBlock())
      capacity += SessionBlock.slots
    }
    // The ring can become full while the thread pauses in a flood (``ProcessorBudget``). After the pause, the thread empties the ring.
    let limit = MonotonicClock.now + .milliseconds(100)
    while rings.commands.count >= rings.commands.capacity, MonotonicClock.now < limit { wait() }
    rings.commands.push(command)
  }

  /// Wakes the thread and waits for 0.1 ms.
  private func wait() {
    rings.signal.signal()
    MonotonicClock.sleep(until: MonotonicClock.now + .microseconds(100))
  }

  /// Plays with these settings of the instrument and of the phrase from now on.
  func play(_ settings: InstrumentSettings) {
    rings.instrument.publish(settings)
    rings.signal.signal()
  }

  /// Ends the thread after it has executed all commands, and waits for its end.
  func stop() {
    quit.flag.store(true, ordering: .releasing)
    rings.signal.signal()
    thread.join()
    (isStopped, discarded) = (true, Int64(ports.dropped))
  }

  /// The flag by which ``stop()`` ends the thread.
  private final class Quit: Sendable {
    let flag = Atomic<Bool>(false)
  }
}
