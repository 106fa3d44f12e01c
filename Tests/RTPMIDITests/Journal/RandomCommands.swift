import MIDI
import _TestSupport

/// A random sequence of commands of all kinds, with few distinct numbers, so that commands often affect each other.
struct RandomCommands {
  enum Command {
    case message(Message)
    /// A System Exclusive. The first data octet is 1 if the command is journalled, otherwise 2.
    case exclusive([UInt8], isJournalled: Bool)
  }

  private(set) var commands: [Command] = []
  private var random: SplitMix
  /// The number of octets of journalled System Exclusives that may still be generated. The history of a sender holds 512.
  private var octetsLeft = 500

  /// Generates at least `count` commands.
  init(count: Int, seed: UInt64) {
    random = SplitMix(seed: seed)
    while commands.count < count { appendRandom() }
  }

  private mutating func number(_ range: ClosedRange<Int64>) -> UInt8 { UInt8(random.integer(in: range)) }
  private mutating func dataByte(_ range: ClosedRange<Int64> = 0...127) -> UInt7 { UInt7(masking: number(range)) }
  private mutating func append(_ message: Message) { commands.append(.message(message)) }
  private mutating func append(_ channel: Channel, _ controller: UInt7, _ value: UInt7) {
    append(.controlChange(channel, controller: controller, value: value))
  }

  /// Appends one command, or a few commands that belong together.
  private mutating func appendRandom() {
    let channel = Channel([1, 2, 10][Int(random.integer(in: 0...2))])!
    // The width of each case is its share of the calls in percent.
    switch random.integer(in: 0...99) {
    case 0...29: append(.noteOn(channel, key: dataByte(58...63), velocity: dataByte()))
    case 30...44:
      append(.noteOff(channel, key: dataByte(58...63), velocity: random.integer(in: 0...1) == 0 ? 64 : dataByte()))
    case 45...58: appendController(channel)
    case 59...61:
      for half in [0, 32] as [UInt7] where random.integer(in: 0...1) == 0 { append(channel, half, dataByte(0...3)) }
      append(.programChange(channel, program: dataByte(0...3)))
    case 62...63: append(.pitchBend(channel, UInt14(clamping: Int(random.integer(in: 0...16383)))))
    case 64: append(.channelPressure(channel, pressure: dataByte()))
    case 65: append(.polyphonicPressure(channel, key: dataByte(58...60), pressure: dataByte()))
    case 66...73: appendParameter(channel)
    case 74...90: appendSequencer()
    case 91...93: appendExclusive()
    case 94...96: appendTimeCode()
    case 97: append(.songSelect(dataByte(0...3)))
    case 98: append(random.integer(in: 0...1) == 0 ? .tuneRequest : .activeSensing)
    default: if random.integer(in: 0...2) == 0 { append(.reset) }
    }
  }

  private mutating func appendController(_ channel: Channel) {
    // Bank Select (0) and Reset All Controllers (121) are twice as likely as any other controller.
    let numbers: [UInt7] = [0, 0, 1, 7, 10, 11, 32, 64, 65, 66, 69, 74, 120, 121, 121, 122, 123, 124, 126, 127]
    append(channel, numbers.randomElement(using: &random)!, dataByte())
  }

  /// Appends the selection of a parameter, up to three changes of its value, and sometimes the end of the selection.
  private mutating func appendParameter(_ channel: Channel) {
    // MSB and LSB of a non-registered (99 and 98) or a registered parameter (101 and 100). The null parameter, 127 and 127, ends
    // the selection.
    let (high, low): (UInt7, UInt7) = random.integer(in: 0...1) == 0 ? (99, 98) : (101, 100)
    let number = dataByte(0...2)
    append(channel, high, random.integer(in: 0...1) == 0 ? 0 : 5)
    append(channel, low, number)
    for _ in 0..<random.integer(in: 0...3) {
      append(channel, [6, 38, 96, 97][Int(random.integer(in: 0...3))], dataByte())
    }
    if random.integer(in: 0...2) == 0 {
      append(channel, high, 127)
      append(channel, low, 127)
    }
  }

  private mutating func appendSequencer() {
    switch random.integer(in: 0...9) {
    case 0: append(.start)
    case 1: append(.stop)
    case 2: append(.continue)
    case 3:
      append(.stop)
      let sixteenths: [Int64] = [0, 1, 3, random.integer(in: 0...16383)]
      append(.songPosition(UInt14(clamping: Int(sixteenths.randomElement(using: &random)!))))
      append(.continue)
    default: for _ in 0..<random.integer(in: 1...9) { append(.clock) }
    }
  }

  /// Appends three to eight quarter frames of a random time, in ascending or descending order.
  private mutating func appendTimeCode() {
    let time = (0...7).map { frame in UInt7(masking: UInt8(frame << 4) | number(0...15)) }
    let frames = random.integer(in: 0...3) == 0 ? time.reversed() : time
    for frame in frames.prefix(Int(random.integer(in: 3...10))) { append(.quarterFrame(frame)) }
  }

  private mutating func appendExclusive() {
    let isJournalled = random.integer(in: 0...3) > 0
    let count = Int(random.integer(in: 1...400))
    if isJournalled {
      guard count < octetsLeft else { return }
      octetsLeft -= count
    }
    var data = (0..<count).map { _ in number(0...127) }
    data[0] = isJournalled ? 1 : 2
    commands.append(.exclusive(data, isJournalled: isJournalled))
  }
}
