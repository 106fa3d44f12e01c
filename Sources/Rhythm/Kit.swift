/// Collects the voices of a patch while a ``PatchReader`` reads the patch. A voice is added when a line first uses it.
///
/// Two names of one note, such as `hat` and `closed hi-hat`, are the same voice.
struct Kit {
  /// The voices that the lines use, in the order of their first use.
  private(set) var voices: [Voice] = []
  /// The notes and cut-off groups that the field `kit` of the patch defines, by name. The voices of a cut-off group silence each other.
  private var defined: [String: (note: UInt8, group: String?)] = [:]

  /// Defines a name. A name of General MIDI can be redefined.
  mutating func define(_ name: String, note: UInt8, group: String?) { defined[name] = (note, group) }

  /// The names that a line can have: those of the patch, and those of General MIDI.
  var names: [String] { defined.keys.sorted() + DrumNames.all.filter { defined[$0] == nil } }

  /// The note of a voice; nil if there is no voice of this name.
  func note(named name: String) -> UInt8? { defined[name]?.note ?? DrumNames.note(named: name) }

  /// The index in ``voices`` of the voice called `name`, which is added if necessary. Nil if there is no voice of this name.
  mutating func index(named name: String) -> Int? {
    guard let note = note(named: name) else { return nil }
    if let index = voices.firstIndex(where: { $0.note == note }) { return index }
    // If the definition of this name has no group, another name of the same note may define the group.
    let names = defined.keys.sorted().filter { defined[$0]?.note == note }
    let group = defined[name]?.group ?? names.compactMap { defined[$0]?.group }.first
    voices.append(Voice(name: name, note: note, group: group ?? DrumNames.group(of: note)))
    return voices.count - 1
  }

  /// Changes the voice at `index`.
  mutating func update(_ index: Int, _ change: (inout Voice) -> Void) { change(&voices[index]) }
}
