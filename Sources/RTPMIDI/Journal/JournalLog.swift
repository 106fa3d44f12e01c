import MIDI

/// One part of a recovery journal, as ``JournalCursor`` returns it: one log of a chapter that is a list of logs, or a
/// whole chapter that has no list. A log describes the newest command or commands of one kind, for example of one note.
enum JournalLog: BitwiseCopyable {
  // The system journal, chapters D V Q F X.
  case simpleCommands(ChapterD)
  case activeSensing(ChapterV)
  case sequencer(ChapterQ)
  case timeCode(ChapterF)
  case systemExclusive(ExclusiveLog)
  // A channel journal, chapters P C M W N E T A.
  case program(Channel, ChapterP)
  /// A log of Chapter C. `later` contains the logs after it in the chapter.
  case controller(Channel, ControllerLog, later: Extent)
  case parameter(Channel, ParameterLog)
  /// The header and the last log of Chapter M, returned after all logs of the chapter. They determine the parameter that
  /// is selected at the sender. `last` is nil if the chapter has no logs.
  case selection(Channel, ChapterM, last: ParameterLog?)
  case wheel(Channel, ChapterW)
  /// A note whose newest command is a Note On. `extras` contains all logs of Chapter E of the channel.
  case note(Channel, NoteLog, extras: Extent)
  /// A note whose newest command is a Note Off. `extras` contains all logs of Chapter E of the channel.
  case noteOff(Channel, key: UInt7, extras: Extent)
  case channelPressure(Channel, ChapterT)
  case polyphonicPressure(Channel, PressureLog)
}
