/// The payload of a frame ``FrameKind/clicks``.
struct ClicksDescription: Encodable {
  /// The number of the turn, which the answer of the page repeats.
  var turn: Int
  /// The number of the page.
  var page: Int
  /// When the page clicks: nanoseconds of the peer's clock as decimal digits, because JavaScript rounds larger numbers.
  var instants: [String]
}

/// The payload of a frame ``FrameKind/delay``. Times are in milliseconds.
struct DelayDescription: Encodable {
  var turn: Int
  /// How much later than the peer the page sounds.
  var delay: Double
  var uncertainty: Double
}
