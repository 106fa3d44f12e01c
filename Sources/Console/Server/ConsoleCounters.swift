/// The numbers of frames and pages that were dropped.
struct ConsoleCounters {
  /// Frames and commands above the permitted rate.
  var limited = 0
  /// Frames that could not be decoded, and commands that were not permitted.
  var malformed = 0
  /// Pages that were refused because there were too many.
  var refused = 0
}
