import CFluidSynth
import Dispatch
import MusicalTime
import Realtime
import Synchronization

/// Gives the audio thread what it needs more of while it plays, from a background thread: lanes for ``DrumLanes`` and
/// ``ChannelSynthesizer``, and the samples of programs (``SampleMemory``). A peer therefore begins with few lanes and few samples. Each ``SoundModule`` needs its own supply.
/// Real-time: not safe.
public final class SoundSupply: Sendable {
  let rings = SupplyRings()
  private let state: Mutex<State>
  private let end = DispatchSemaphore(value: 0)

  private struct State {
    /// The programs that the control thread has asked for.
    var programs: [UInt8] = []
    var isEnding = false
  }

  public init() { state = Mutex(State()) }

  /// Begins to supply lanes like these, and the samples of `soundFont`. Until ``stop()``, the SoundFont and the lanes must exist.
  func start(_ soundFont: SoundFont, lane: OpaquePointer, channelLane: OpaquePointer) {
    let source = Source(soundFont: soundFont, lane: lane, channelLane: channelLane)
    DispatchQueue(label: "tutti.sound-supply").async { [self] in
      while supply(from: source) {}
      end.signal()
    }
  }

  /// Loads the samples of programs, 0...127, soon. May be called before the supply starts and after it has ended.
  public func prepare(_ programs: some Sequence<UInt8>) {
    state.withLock { $0.programs += programs }
    rings.bell.ring()
  }

  /// Ends the supply and waits for its thread.
  func stop() {
    state.withLock { $0.isEnding = true }
    rings.bell.ring()
    end.wait()
  }

  // Invariant: the thread of the supply is the only one that loads samples. It only reads the settings of the lanes.
  private struct Source: @unchecked Sendable {
    let soundFont: SoundFont
    let lane: OpaquePointer
    let channelLane: OpaquePointer
  }

  /// Waits for requests and fulfils them. Returns false at the end.
  private func supply(from source: Source) -> Bool {
    let count = rings.bell.count
    let (programs, isEnding) = state.withLock { state in
      defer { state.programs = [] }
      return (state.programs, state.isEnding)
    }
    if isEnding { return false }
    for program in programs { source.soundFont.samples.load(program) }
    while let request = rings.requests.pop() {
      switch request {
      case .lane: rings.lanes.push(.init(synthesizer: DrumLanes.makeLane(like: source.lane, source.soundFont)))
      case .channelLane:
        let lane = ChannelSynthesizer.makeLane(like: source.channelLane, source.soundFont)
        rings.channelLanes.push(.init(synthesizer: lane))
      case .program(let program): source.soundFont.samples.load(program)
      }
    }
    rings.bell.wait(until: .distantFuture, since: count)
    return true
  }
}

/// The connection between the audio thread and a ``SoundSupply``. Real-time: safe.
struct SupplyRings: Sendable, BitwiseCopyable {
  /// What the audio thread needs.
  enum Request: Sendable, BitwiseCopyable {
    /// One more lane of ``DrumLanes``.
    case lane
    /// One more lane of ``ChannelSynthesizer``.
    case channelLane
    /// The samples of a program, 0...127.
    case program(UInt8)
  }

  // Invariant: the consumer becomes the only user of the synthesizer.
  struct Lane: @unchecked Sendable, BitwiseCopyable { let synthesizer: OpaquePointer }

  /// From the audio thread. ``DrumLanes`` requests each lane and each program once, and ``ChannelSynthesizer`` each program once. The ring
  /// is therefore never full.
  let requests = SPSCRing<Request>(capacity: 512)
  /// To the audio thread: new lanes without voices.
  let lanes = SPSCRing<Lane>(capacity: DrumLanes.blockFrames)
  let channelLanes = SPSCRing<Lane>(capacity: 16)
  let bell = Doorbell()
}

/// The programs that one user of a ``SoundSupply`` has requested. Real-time: safe.
struct RequestedPrograms: BitwiseCopyable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0

  @_noLocks @_noAllocation
  init() {}

  /// Requests a program from `supply`, unless it was requested before. Numbers above 127 are not programs.
  @_noLocks @_noAllocation
  mutating func request(_ program: UInt8, from supply: SupplyRings?) {
    guard let supply, program < 128 else { return }
    let bit: UInt64 = 1 &<< UInt64(program & 63)
    if program < 64 {
      if first & bit != 0 { return }
      first |= bit
    } else {
      if second & bit != 0 { return }
      second |= bit
    }
    supply.requests.push(.program(program))
    supply.bell.ring()
  }
}
