/// The counters of input that was dropped.
struct ConsoleCounters {
  /// Frames above the permitted rate.
  var limited = 0
  /// Frames that could not be decoded, or commands that were not permitted.
  var malformed = 0
  /// Pages that were refused because there were too many.
  var refused = 0
}
