import MIDI
import Seeds

/// What a random player does: all kinds of messages, in few places, so that they meet.
struct Performance {
  enum Action {
    case message(Message)
    /// Sent in pieces if the packet is small, with a Clock between them.
    case exclusive([UInt8], isJournalled: Bool)
  }

  private(set) var actions: [Action] = []
  private var random: SplitMix
  /// System Exclusive data that may still be played: as much as a sender's journal keeps.
  private var octetsLeft = 500

  /// At least `count` messages.
  init(count: Int, seed: UInt64) {
    random = SplitMix(seed: seed)
    while actions.count < count { play() }
  }

  private mutating func number(_ range: ClosedRange<Int64>) -> UInt8 { UInt8(random.integer(in: range)) }
  private mutating func seven(_ range: ClosedRange<Int64> = 0...127) -> UInt7 { UInt7(masking: number(range)) }
  private mutating func give(_ message: Message) { actions.append(.message(message)) }
  private mutating func give(_ channel: Channel, _ controller: UInt7, _ value: UInt7) {
    give(.controlChange(channel, controller: controller, value: value))
  }

  private mutating func play() {
    let channel = Channel([1, 2, 10][Int(random.integer(in: 0...2))])!
    switch random.integer(in: 0...99) {
    case 0...29: give(.noteOn(channel, key: seven(58...63), velocity: seven()))
    case 30...44: give(.noteOff(channel, key: seven(58...63), velocity: random.integer(in: 0...1) == 0 ? 64 : seven()))
    case 45...58: playController(channel)
    case 59...61:
      for half in [0, 32] as [UInt7] where random.integer(in: 0...1) == 0 { give(channel, half, seven(0...3)) }
      give(.programChange(channel, program: seven(0...3)))
    case 62...63: give(.pitchBend(channel, UInt14(clamping: Int(random.integer(in: 0...16383)))))
    case 64: give(.channelPressure(channel, pressure: seven()))
    case 65: give(.polyphonicPressure(channel, key: seven(58...60), pressure: seven()))
    case 66...73: playParameter(channel)
    case 74...90: playSequencer()
    case 91...93: playExclusive()
    case 94...96: playTimeCode()
    case 97: give(.songSelect(seven(0...3)))
    case 98: give(random.integer(in: 0...1) == 0 ? .tuneRequest : .activeSensing)
    default: if random.integer(in: 0...2) == 0 { give(.reset) }
    }
  }

  private mutating func playController(_ channel: Channel) {
    let numbers: [UInt7] = [0, 0, 1, 7, 10, 11, 32, 64, 65, 66, 69, 74, 120, 121, 121, 122, 123, 124, 126, 127]
    give(channel, numbers.randomElement(using: &random)!, seven())
  }

  private mutating func playParameter(_ channel: Channel) {
    let (high, low): (UInt7, UInt7) = random.integer(in: 0...1) == 0 ? (99, 98) : (101, 100)
    let number = seven(0...2)
    give(channel, high, random.integer(in: 0...1) == 0 ? 0 : 5)
    give(channel, low, number)
    for _ in 0..<random.integer(in: 0...3) { give(channel, [6, 38, 96, 97][Int(random.integer(in: 0...3))], seven()) }
    if random.integer(in: 0...2) == 0 {
      give(channel, high, 127)
      give(channel, low, 127)
    }
  }

  private mutating func playSequencer() {
    switch random.integer(in: 0...9) {
    case 0: give(.start)
    case 1: give(.stop)
    case 2: give(.continue)
    case 3:
      give(.stop)
      let sixteenths: [Int64] = [0, 1, 3, random.integer(in: 0...16383)]
      give(.songPosition(UInt14(clamping: Int(sixteenths.randomElement(using: &random)!))))
      give(.continue)
    default: for _ in 0..<random.integer(in: 1...9) { give(.clock) }
    }
  }

  private mutating func playTimeCode() {
    let time = (0...7).map { piece in UInt7(masking: UInt8(piece << 4) | number(0...15)) }
    let frames = random.integer(in: 0...3) == 0 ? time.reversed() : time
    for frame in frames.prefix(Int(random.integer(in: 3...10))) { give(.quarterFrame(frame)) }
  }

  private mutating func playExclusive() {
    let isJournalled = random.integer(in: 0...3) > 0
    let count = Int(random.integer(in: 1...400))
    if isJournalled {
      guard count < octetsLeft else { return }
      octetsLeft -= count
    }
    var data = (0..<count).map { _ in number(0...127) }
    data[0] = isJournalled ? 1 : 2
    actions.append(.exclusive(data, isJournalled: isJournalled))
  }
}
