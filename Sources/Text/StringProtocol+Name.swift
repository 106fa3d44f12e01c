extension StringProtocol {
  /// Returns the text as the name of a peer, player, device or patch: without scalars that are not printable and without spaces at its
  /// ends, cut before the first character that does not fit into `octets` octets of UTF-8. Every other kind of space becomes U+0020. Returns nil
  /// if nothing visible is left. A name in this form is not changed.
  ///
  /// Every name from outside the program passes through this function where it enters. Two peers therefore show the same name for the same
  /// peer, and no name changes a line in which it appears.
  ///
  /// Real-time: not safe.
  package func cleanName(octets: Int = 48) -> String? {
    let text = String(self)
    if text.isCleanASCII, text.utf8.count <= octets { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars where scalar.isPrintable {
      let isSpace = scalar.properties.isWhitespace
      // Spaces at the beginning are omitted.
      if !isSpace || !scalars.isEmpty { scalars.append(isSpace ? " " : scalar) }
    }
    var name = ""
    var room = octets
    for character in String(scalars) {
      room -= character.utf8.count
      guard room >= 0 else { break }
      name.append(character)
    }
    while name.last == " " { name.removeLast() }
    return name.unicodeScalars.contains(where: \.isVisible) ? name : nil
  }
}

extension String {
  /// Whether the text begins and ends with a visible ASCII character, and has only such characters and spaces in between. Most names are such
  /// texts. They are in their final form, so the properties of their scalars need not be looked up.
  fileprivate var isCleanASCII: Bool {
    let (space, tilde) = (UInt8(ascii: " "), UInt8(ascii: "~"))
    guard let first = utf8.first, first != space, utf8.last != space else { return false }
    return utf8.allSatisfy { (space...tilde).contains($0) }
  }
}
