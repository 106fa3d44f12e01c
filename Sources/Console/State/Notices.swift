/// The newest messages to the player, at most ``maximumCount``, such as the reason why a command was not executed.
struct Notices {
  /// A message to the player.
  struct Notice: Encodable {
    /// The number of the message. The first message after the start of the peer has the number 1.
    var number: Int
    /// `info`, `notice`, `warning` or `error`.
    var level: String
    /// The text in English, as on the terminal.
    var text: String
  }

  static let maximumCount = 8
  /// The maximum length of a text in characters.
  static let maximumLength = 500

  /// The newest messages, oldest first.
  private(set) var newest: [Notice] = []
  private var count = 0

  mutating func add(_ text: String, level: String) {
    count += 1
    newest.append(Notice(number: count, level: level, text: String(text.prefix(Self.maximumLength))))
    if newest.count > Self.maximumCount { newest.removeFirst() }
  }
}
