/// A line of /etc/security/limits.conf, or of a file in /etc/security/limits.d, that sets the soft and the hard limit of the real-time
/// priority or of the locked memory: `DOMAIN - ITEM VALUE` (limits.conf(5)). A login applies the lines.
struct LimitLine: Hashable {
  enum Item: String {
    /// The highest real-time priority, 0...99.
    case priority = "rtprio"
    /// The locked memory in KiB.
    case memory = "memlock"
  }

  /// A user, `@` and a group, or `*` for all users except root.
  let domain: String
  let item: Item
  /// The limit in the unit of ``item``; nil if there is none.
  let value: Int?

  /// Returns the lines of `text` that set one of the two limits. Lines that set only the soft or only the hard limit are left out, because
  /// one such line alone gives no permission. Domains that are ranges of user numbers are kept, but apply to nobody here.
  static func lines(of text: String) -> [LimitLine] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard words.count == 4, words[1] == "-", let item = Item(rawValue: String(words[2])) else { return nil }
      let isUnlimited = ["unlimited", "infinity", "-1"].contains(words[3])
      let value = isUnlimited ? nil : Int(words[3])
      guard isUnlimited || value != nil else { return nil }
      return LimitLine(domain: String(words[0]), item: item, value: value)
    }
  }

  /// Whether the line concerns `user`.
  func applies(to user: Machine.User) -> Bool {
    if domain == "*" { return !user.isRoot }
    if domain.hasPrefix("@") { return user.listedGroups.contains(String(domain.dropFirst())) }
    return domain == user.name
  }

  /// Whether the limit permits what a peer needs: the priority of its clock thread, or a memory lock without a limit.
  var isSufficient: Bool {
    guard let value else { return true }
    return item == .priority && value >= Int(WakeUpTest.priority)
  }

  /// The line as text, without the file.
  var text: String { "\(domain) - \(item.rawValue) \(value.map(String.init) ?? "unlimited")" }
}
