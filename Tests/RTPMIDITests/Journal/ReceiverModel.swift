import MIDI

/// A model of the state that results from messages, for comparing the sender and the receiver. It shares no code with
/// the implementation.
struct ReceiverModel {
  struct Address: Hashable {
    let channel: UInt8
    /// The number of the key, controller or parameter; -1 for channel pressure.
    let number: Int
  }

  struct HeldNote {
    /// The number of Note Ons without a Note Off.
    var count = 0
    /// The velocity of the newest command, if it is a Note On.
    var velocity: UInt8?
  }

  struct Program: Equatable {
    let number: UInt8
    /// MSB and LSB.
    let bank: [UInt8]
  }

  struct Parameter: Equatable {
    var high: UInt8?
    var low: UInt8?
    /// Increments minus decrements since the newest value.
    var steps = 0
  }

  // In dictionaries with keys of type `UInt8`, the key is the channel.

  private(set) var notes: [Address: HeldNote] = [:]
  private(set) var controllers: [Address: UInt8] = [:]
  private(set) var programs: [UInt8: Program] = [:]
  /// The positions of the pitch wheels.
  private(set) var wheels: [UInt8: UInt16] = [:]
  /// The key pressures and channel pressures.
  private(set) var pressures: [Address: UInt8] = [:]
  private(set) var parameters: [Address: Parameter] = [:]
  /// The selected parameter number: 0...16382 for registered ones, from 16384 on for non-registered ones, negative for
  /// an incomplete number.
  private(set) var selections: [UInt8: Int] = [:]
  /// The newest values of the controllers 98...101, which select a parameter.
  private var halves: [Address: UInt8] = [:]
  private(set) var song: UInt8?
  private(set) var isRunning = false
  /// Song Position times 6, plus the number of Clocks since then. Clocks count only while the sequencer runs.
  private(set) var tick = 0
  /// The quarter frames of the newest complete time, in ascending order.
  private(set) var time: [UInt8] = []
  /// The quarter frames of the incomplete time, in the order of arrival.
  private var frames: [UInt8] = []

  func holds(_ channel: Channel, _ key: UInt7) -> Bool {
    notes[Address(channel: channel.wire, number: Int(key.value))] != nil
  }

  mutating func apply(_ message: Message) {
    switch message {
    case .noteOn(let channel, let key, let velocity) where velocity.value > 0:
      let address = Address(channel: channel.wire, number: Int(key.value))
      notes[address, default: HeldNote()].count += 1
      notes[address]?.velocity = velocity.value
    case .noteOn(let channel, let key, _), .noteOff(let channel, let key, _):
      let address = Address(channel: channel.wire, number: Int(key.value))
      guard let held = notes[address] else { break }
      notes[address] = held.count == 1 ? nil : HeldNote(count: held.count - 1)
    case .polyphonicPressure(let channel, let key, let pressure):
      pressures[Address(channel: channel.wire, number: Int(key.value))] = pressure.value
    case .channelPressure(let channel, let pressure):
      pressures[Address(channel: channel.wire, number: -1)] = pressure.value
    case .controlChange(let channel, let controller, let value): apply(channel.wire, controller.value, value.value)
    case .programChange(let channel, let program):
      let bank = [0, 32].map { controllers[Address(channel: channel.wire, number: $0)] ?? 0 }
      programs[channel.wire] = Program(number: program.value, bank: bank)
    case .pitchBend(let channel, let bend): wheels[channel.wire] = bend.value
    case .quarterFrame(let frame): apply(quarterFrame: frame.value)
    case .songPosition(let sixteenths): tick = 6 * Int(sixteenths.value)
    case .songSelect(let number): song = number.value
    case .clock: if isRunning { tick += 1 }
    case .start: (isRunning, tick) = (true, 0)
    case .continue: isRunning = true
    case .stop: isRunning = false
    case .tuneRequest, .activeSensing: break
    case .reset: self = ReceiverModel()
    }
  }

  private mutating func apply(_ channel: UInt8, _ controller: UInt8, _ value: UInt8) {
    switch controller {
    case 6, 38, 96, 97:
      guard let number = selections[channel] else { break }
      let address = Address(channel: channel, number: number)
      var parameter = parameters[address] ?? Parameter()
      switch controller {
      case 6: (parameter.high, parameter.steps) = (value, 0)
      case 38: (parameter.low, parameter.steps) = (value, 0)
      case 96: parameter.steps += 1
      default: parameter.steps -= 1
      }
      parameters[address] = parameter
    case 98...101:
      // 98 and 99 are LSB and MSB of a non-registered parameter, 100 and 101 of a registered one.
      halves[Address(channel: channel, number: Int(controller))] = value
      let lsb = controller < 100 ? 98 : 100
      let number = (0...1).map { Int(halves[Address(channel: channel, number: lsb + $0)] ?? 127) }
      // After an MSB, the number is incomplete. It is represented by a negative number, different for each kind and MSB.
      let isPending = controller & 1 == 1
      let selected = isPending ? -1000 * lsb - number[1] : number[1] << 7 + number[0]
      // MSB and LSB 127 select no parameter.
      selections[channel] = selected == 16383 ? nil : selected + (lsb == 98 && !isPending ? 16384 : 0)
    case 120, 123...127: notes = notes.filter { $0.key.channel != channel }
    case 121:
      for number in [1, 11, 64, 65, 66, 67] { controllers[Address(channel: channel, number: number)] = nil }
      for number in 98...101 { halves[Address(channel: channel, number: number)] = nil }
      (selections[channel], wheels[channel]) = (nil, nil)
      pressures = pressures.filter { $0.key.channel != channel }
    default: controllers[Address(channel: channel, number: Int(controller))] = value
    }
  }

  /// Applies a quarter frame. Its upper four bits are its number. Eight frames with the numbers 0...7, or 7...0 if the tape runs
  /// backwards, are a time. Any other frame discards the incomplete time; frame 0 or 7 begins a new one.
  private mutating func apply(quarterFrame frame: UInt8) {
    let isNext = frames.last.map { last in
      let step = frames[0] >> 4 == 0 ? 1 : -1
      return Int(frame >> 4) == Int(last >> 4) + step
    }
    if isNext != true { frames = [] }
    if isNext == true || frame >> 4 == 0 || frame >> 4 == 7 { frames.append(frame) }
    if frames.count == 8 { (time, frames) = (frames.sorted(), []) }
  }

  /// The differences between this state, received over a network, and the sent state `other`. The velocity of a note
  /// whose newest command is a Note Off is unknown, and is not compared. Positions beyond the range of Song Position are
  /// compared modulo this range.
  func differences(from other: ReceiverModel) -> [String] {
    var result: [String] = []
    func compare<Value: Equatable>(_ name: String, _ value: Value, _ otherValue: Value) {
      if value != otherValue { result.append("\(name): \(value), not \(otherValue)") }
    }
    compare("notes", notes.mapValues(\.count), other.notes.mapValues(\.count))
    for (address, held) in notes {
      if let value = held.velocity, let otherValue = other.notes[address]?.velocity {
        compare("velocity", value, otherValue)
      }
    }
    // A bank half that was never sent is 0.
    let isNonzero: (Address, UInt8) -> Bool = { $1 != 0 || ![0, 32].contains($0.number) }
    compare("controllers", controllers.filter(isNonzero), other.controllers.filter(isNonzero))
    compare("programs", programs, other.programs)
    compare("wheels", wheels, other.wheels)
    compare("pressures", pressures, other.pressures)
    let isChanged: (Parameter) -> Bool = { $0 != Parameter() }
    compare("parameters", parameters.filter { isChanged($0.value) }, other.parameters.filter { isChanged($0.value) })
    compare("selections", selections, other.selections)
    compare("song", song, other.song)
    compare("running", isRunning, other.isRunning)
    compare("tick", tick % (6 * 16384), other.tick % (6 * 16384))
    compare("time", time, other.time)
    return result
  }
}
