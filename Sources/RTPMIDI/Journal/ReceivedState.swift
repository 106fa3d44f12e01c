import BasicContainers
import MIDI

/// The state of a received stream, as its messages have set it. ``JournalRepair`` compares the state with a recovery
/// journal, so that only lost commands are recovered. The state needs about 9 KB, which are allocated once.
struct ReceivedState: ~Copyable {
  /// The sixteen channels.
  var channels: RigidArray<ChannelState>
  /// The parameters that Data Entry, Data Increment or Data Decrement has changed. Beyond ``parameterLimit``, the
  /// parameter that was added first is replaced.
  private(set) var parameters: RigidArray<ParameterState>
  /// The index of the parameter to be replaced next.
  private var nextParameter = 0

  var sequencer = SequencerState()
  var timeCode = TimeCodeState()
  /// The selected song.
  var song = ChannelState.unknown
  /// The number of System Resets, modulo 128.
  var resets: UInt8 = 0
  /// The number of Tune Requests, modulo 128.
  var tuneRequests: UInt8 = 0
  /// The number of Active Sensing commands, modulo 128.
  var activeSensings: UInt8 = 0
  /// The number of System Exclusives that have begun, modulo 256.
  var exclusives: UInt8 = 0

  /// The maximum number of parameters whose state is kept.
  static var parameterLimit: Int { @_noLocks @_noAllocation get { 32 } }

  init() {
    channels = RigidArray(repeating: ChannelState(), count: 16)
    parameters = RigidArray(capacity: Self.parameterLimit)
  }

  /// Discards everything, for another stream.
  @_noLocks @_noAllocation
  mutating func restart() {
    for index in 0..<16 { channels[index] = ChannelState() }
    parameters.removeAll()
    nextParameter = 0
    (sequencer, timeCode, song) = (SequencerState(), TimeCodeState(), ChannelState.unknown)
    (resets, tuneRequests, activeSensings, exclusives) = (0, 0, 0, 0)
  }

  /// Applies a message that is delivered.
  @_noLocks @_noAllocation
  mutating func apply(_ message: Message) {
    switch message {
    case .noteOn(let channel, let key, let velocity):
      if velocity.value > 0 {
        channels[Int(channel.wire)].noteOn(key, velocity: velocity)
      } else {
        channels[Int(channel.wire)].noteOff(key)
      }
    case .noteOff(let channel, let key, _): channels[Int(channel.wire)].noteOff(key)
    case .polyphonicPressure(let channel, let key, let pressure):
      channels[Int(channel.wire)].pressures[Int(key.value)] = pressure.value
    case .controlChange(let channel, let controller, let value):
      switch controller.value {
      case 6, 38, 96, 97: changeSelectedParameter(controller, value, on: channel)
      default: break
      }
      channels[Int(channel.wire)].controlChange(controller, value: value)
    case .programChange(let channel, let program): channels[Int(channel.wire)].programChange(program)
    case .channelPressure(let channel, let pressure): channels[Int(channel.wire)].pressure = pressure.value
    case .pitchBend(let channel, let bend): channels[Int(channel.wire)].wheel = bend.value
    case .quarterFrame(let frame): timeCode.apply(frame)
    case .songSelect(let song): self.song = song.value
    case .tuneRequest: tuneRequests = (tuneRequests + 1) & 0x7F
    case .activeSensing: activeSensings = (activeSensings + 1) & 0x7F
    case .start, .continue, .stop, .songPosition, .clock: sequencer.apply(message)
    case .reset: reset()
    }
  }

  /// Returns the state of the parameter that `selection` selects; nil if no command has changed the parameter.
  @_noLocks @_noAllocation
  func parameter(_ selection: ParameterSelection, of channel: Channel) -> ParameterState? {
    guard let index = index(of: selection, of: channel) else { return nil }
    return parameters[index]
  }

  @_noLocks @_noAllocation
  private func index(of selection: ParameterSelection, of channel: Channel) -> Int? {
    for index in 0..<parameters.count {
      if parameters[index].isSelected(by: selection, of: channel) { return index }
    }
    return nil
  }

  /// Applies one of controllers 6, 38, 96 and 97 to the selected parameter of the channel, if there is one.
  @_noLocks @_noAllocation
  private mutating func changeSelectedParameter(_ controller: UInt7, _ value: UInt7, on channel: Channel) {
    let selection = channels[Int(channel.wire)].selection
    guard !selection.isNone else { return }
    if let index = index(of: selection, of: channel) { return parameters[index].applyChange(controller, value) }
    var parameter = ParameterState(channel, selection)
    parameter.applyChange(controller, value)
    if parameters.count < parameters.capacity { return parameters.append(parameter) }
    parameters[nextParameter] = parameter
    nextParameter = (nextParameter + 1) % Self.parameterLimit
  }

  /// Applies a System Reset. The state becomes that at power-up, except that the counts of commands continue.
  @_noLocks @_noAllocation
  private mutating func reset() {
    for index in 0..<16 {
      let (counts, toggles) = (channels[index].counts, channels[index].toggles)
      channels[index] = ChannelState()
      channels[index].counts = counts
      // The reset switches all pedals off. The toggle count of a pedal is odd while the pedal is on, so an odd count
      // increases by one.
      for pedal in 0..<6 { channels[index].toggles[pedal] = (toggles[pedal] + (toggles[pedal] & 1)) & 0x3F }
    }
    parameters.removeAll()
    nextParameter = 0
    (sequencer, timeCode, song) = (SequencerState(), TimeCodeState(), ChannelState.unknown)
    resets = (resets + 1) & 0x7F
  }
}

/// The received value of one registered or non-registered parameter of one channel.
struct ParameterState: BitwiseCopyable {
  /// The channel, 0...15.
  let channel: UInt8
  let isNonRegistered: Bool
  /// The parameter number, 0...16383.
  let number: UInt16
  /// The newest values of Data Entry MSB and LSB; ``ChannelState/unknown`` before the first ones.
  private(set) var high = ChannelState.unknown
  private(set) var low = ChannelState.unknown
  /// The number of Data Increments minus Data Decrements since the newest Data Entry.
  private(set) var steps: Int16 = 0

  @_noLocks @_noAllocation
  init(_ channel: Channel, _ selection: ParameterSelection) {
    self.channel = channel.wire
    (isNonRegistered, number) = (selection.isNonRegistered, selection.number.value)
  }

  /// Whether this is the parameter that `selection` selects on `channel`.
  @_noLocks @_noAllocation
  func isSelected(by selection: ParameterSelection, of channel: Channel) -> Bool {
    guard self.channel == channel.wire, number == selection.number.value else { return false }
    return isNonRegistered == selection.isNonRegistered
  }

  /// Applies one of controllers 6, 38, 96 and 97.
  @_noLocks @_noAllocation
  mutating func applyChange(_ controller: UInt7, _ value: UInt7) {
    switch controller.value {
    case 6: (high, steps) = (value.value, 0)
    case 38: (low, steps) = (value.value, 0)
    case 96: if steps < 16383 { steps += 1 }
    case 97: if steps > -16383 { steps -= 1 }
    default: break
    }
  }
}
