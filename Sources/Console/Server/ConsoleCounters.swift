/// The numbers of frames, commands and pages that the console has not accepted.
struct ConsoleCounters {
  /// Frames and commands above the permitted rate.
  var limited = 0
  /// Frames that could not be decoded, and commands that were not permitted.
  var malformed = 0
  /// Pages that were refused because ``Pages/maximumCount`` pages were open.
  var refused = 0
}
