import Engine

/// The keys of `tutti peer` on a terminal and their commands, as listed in the help. The keys `,`, `.` and `=` have the commands of
/// `<`, `>` and `+`, because on a US keyboard they are the same keys without Shift.
///
/// ``CommandLineEditor`` itself handles the others: `:` begins a command line, ``help`` shows the keys, ``tap`` needs the instants of the
/// taps, and ``nextPatch``, ``previousPatch`` and ``nextInstrument`` need the library.
enum KeyBindings {
  /// The key with which the player taps the tempo.
  static var tap: UInt8 { UInt8(ascii: "b") }
  /// The key that shows the keys and the commands, and then their next page.
  static var help: UInt8 { UInt8(ascii: "?") }
  /// The key that selects the next rhythm of the library.
  static var nextPatch: UInt8 { UInt8(ascii: "p") }
  /// The key that selects the rhythm before.
  static var previousPatch: UInt8 { UInt8(ascii: "P") }
  /// The key that selects the next instrument of the library.
  static var nextInstrument: UInt8 { UInt8(ascii: "i") }

  /// Returns the command of `key`, or nil if the key has none.
  static func command(for key: UInt8) -> PlayerCommand? {
    switch key {
    case UInt8(ascii: " "): .startOrStop
    case UInt8(ascii: "c"): .continue
    case UInt8(ascii: "n"): .countIn(bars: 1)
    case UInt8(ascii: "f"): .fill
    // All players are silent, or sound again. Nil: the opposite of the present state.
    case UInt8(ascii: "s"): .quiet(nil)
    case UInt8(ascii: "<"), UInt8(ascii: ","): .locate(bars: -1)
    case UInt8(ascii: ">"), UInt8(ascii: "."): .locate(bars: 1)
    case UInt8(ascii: "+"), UInt8(ascii: "="): .tempo(by: 1)
    case UInt8(ascii: "-"): .tempo(by: -1)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .activity(UInt8(Int(key - UInt8(ascii: "0")) * 127 / 9))
    case UInt8(ascii: "x"): .strike
    case UInt8(ascii: "["): .tilt(by: -8)
    case UInt8(ascii: "]"): .tilt(by: 8)
    // Nil: to all peers.
    case UInt8(ascii: "h"): .offer(to: nil)
    case UInt8(ascii: "t"): .take
    // The notes of the player go to one peer only. Each press selects the next peer; after the last peer, all peers.
    case UInt8(ascii: "\t"): .playToNext
    case UInt8(ascii: "w"): .showRoster
    case UInt8(ascii: "q"): .leave
    default: nil
    }
  }
}
