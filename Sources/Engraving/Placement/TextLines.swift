/// Texts that are longer than the line.
enum TextLines {
  /// The words of a text in lines that are at most `width` long. A word that is longer is divided.
  static func lines(_ text: String, _ style: TextStyle, _ width: Double, _ metrics: Metrics) -> [String] {
    if metrics.width(text, style) <= width { return [text] }
    var lines: [String] = []
    var (line, length) = ("", 0.0)
    let space = metrics.width(" ", style)
    for word in text.split(separator: " ") {
      let wordLength = metrics.width(String(word), style)
      if !line.isEmpty, length + space + wordLength <= width {
        line += " " + word
        length += space + wordLength
        continue
      }
      if !line.isEmpty { lines.append(line) }
      (line, length) = ("", 0)
      for character in word {
        let characterLength = metrics.width(String(character), style)
        if !line.isEmpty, length + characterLength > width {
          lines.append(line)
          (line, length) = ("", 0)
        }
        line.append(character)
        length += characterLength
      }
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
