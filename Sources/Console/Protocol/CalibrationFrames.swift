/// The payload of a frame ``FrameKind/clicks``, which asks a page to click.
struct ClicksDescription: Encodable {
  /// The number of the turn. In each turn of a calibration, one page clicks. The answer of the page contains the same number.
  var turn: Int
  /// The number of the page, which it shows to its player.
  var page: Int
  /// The instants of the clicks: nanoseconds of the peer's clock as decimal digits. JSON numbers would be rounded, because JavaScript
  /// represents them as Float64.
  var instants: [String]
}

/// The payload of a frame ``FrameKind/delay``: the result of a calibration, which the page stores. Times are in milliseconds.
struct DelayDescription: Encodable {
  /// The number of the turn in which the page has clicked.
  var turn: Int
  /// How much later than the peer the page sounds.
  var delay: Double
  /// The uncertainty of ``delay``: 95 % of the errors are smaller.
  var uncertainty: Double
}
