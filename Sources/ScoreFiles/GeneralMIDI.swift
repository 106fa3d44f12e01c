/// The General MIDI programs for names of instruments. Most files name their instruments and state no programs.
enum GeneralMIDI {
  /// Beginnings of names in lower case (English, German, Italian, French), and their programs. The first that occurs in a name counts, so
  /// `bass clarinet` stands before `clarinet` and `bass`.
  private static let programs: [(String, UInt8)] = [
    ("piccolo", 72), ("recorder", 74), ("blockfl", 74), ("flute", 73), ("flöte", 73), ("flauto", 73), ("flauti", 73),
    ("english horn", 69), ("englischhorn", 69), ("cor anglais", 69), ("corno inglese", 69), ("oboe", 68), ("oboi", 68),
    ("clarinet", 71), ("klarinette", 71), ("clarin", 71), ("bassoon", 70), ("fagott", 70), ("soprano sax", 64),
    ("alto sax", 65), ("tenor sax", 66), ("baritone sax", 67), ("sax", 65), ("trumpet", 56), ("trompete", 56),
    ("tromba", 56), ("trombe", 56), ("cornet", 56), ("trombone", 57), ("posaune", 57), ("tuba", 58), ("horn", 60),
    ("corno", 60), ("corni", 60), ("violoncell", 42), ("cello", 42), ("contrabass", 43), ("kontrabass", 43),
    ("double bass", 43), ("viola", 41), ("bratsche", 41), ("violin", 40), ("violon", 40), ("geige", 40), ("harp", 46),
    ("timpani", 47), ("pauken", 47), ("glockenspiel", 9), ("vibra", 11), ("marimba", 12), ("xylo", 13), ("organ", 19),
    ("orgel", 19), ("harpsichord", 6), ("cembalo", 6), ("celesta", 8), ("accordion", 21), ("akkordeon", 21),
    ("bass guitar", 33), ("electric bass", 33), ("guitar", 24), ("gitarre", 24), ("soprano", 52), ("sopran", 52),
    ("alto", 52), ("tenor", 52), ("voice", 52), ("chor", 52), ("bass", 32), ("piano", 0), ("klavier", 0),
  ]

  /// The program of an instrument, 0...127; nil if the name is not known.
  static func program(of name: String) -> UInt8? {
    let lower = name.lowercased()
    return programs.first { lower.contains($0.0) }?.1
  }
}
