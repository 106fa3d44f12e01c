import MIDI

/// One thing that a recovery journal tells, as ``JournalCursor`` comes to it.
enum JournalLog: BitwiseCopyable {
  // The system journal, chapters D V Q F X.
  case simpleCommands(ChapterD)
  case activeSensing(ChapterV)
  case sequencer(ChapterQ)
  case timeCode(ChapterF)
  case systemExclusive(ExclusiveLog)
  // A channel's journal, chapters P C M W N E T A.
  case program(Channel, ChapterP)
  /// With the controllers' logs that follow it in its chapter.
  case controller(Channel, ControllerLog, later: Extent)
  case parameter(Channel, ParameterLog)
  /// The end of Chapter M: what is selected, `last` being the parameter of its last log.
  case selection(Channel, ChapterM, last: ParameterLog?)
  case wheel(Channel, ChapterW)
  /// A note that is held, with the logs of the channel's Chapter E, which say more of it.
  case note(Channel, NoteLog, extras: Extent)
  /// A note whose newest command is a Note Off, likewise.
  case noteOff(Channel, key: UInt7, extras: Extent)
  case channelPressure(Channel, ChapterT)
  case polyphonicPressure(Channel, PressureLog)
}
