/// The newest messages to the player, such as the reason why a command was not executed.
struct Notices {
  /// A message.
  struct Notice: Encodable {
    /// The number of the message since the start.
    var number: Int
    /// `info`, `notice`, `warning` or `error`.
    var level: String
    /// The text in English, as on the terminal.
    var text: String
  }

  static let maximumCount = 8
  /// The maximum length of a text in characters.
  static let maximumLength = 500

  private(set) var newest: [Notice] = []
  private var count = 0

  mutating func add(_ text: String, level: String) {
    count += 1
    newest.append(Notice(number: count, level: level, text: String(text.prefix(Self.maximumLength))))
    if newest.count > Self.maximumCount { newest.removeFirst() }
  }
}
