/// What printed words mean for the order of bars and the tempo.
enum Words {
  enum Meaning: Equatable {
    case nothing, ritardando, accelerando, aTempo, tempoPrimo, daCapo, dalSegno, toCoda, fine
    /// A tempo in quarter notes per minute.
    case tempo(Int)
  }

  /// Beginnings of words in lower case, and their meanings.
  private static let beginnings: [(String, Meaning)] = [
    ("rit.", .ritardando), ("ritard", .ritardando), ("riten", .ritardando), ("rall", .ritardando),
    ("poco rit", .ritardando), ("poco a poco rit", .ritardando), ("molto rit", .ritardando), ("slower", .ritardando),
    ("calando", .ritardando), ("accel", .accelerando), ("string", .accelerando), ("poco accel", .accelerando),
    ("a tempo", .aTempo), ("tempo primo", .tempoPrimo), ("tempo i", .tempoPrimo), ("tempo 1", .tempoPrimo),
    ("d.c.", .daCapo), ("d. c.", .daCapo), ("da capo", .daCapo), ("d.s.", .dalSegno), ("d. s.", .dalSegno),
    ("dal segno", .dalSegno), ("to coda", .toCoda), ("al coda", .toCoda), ("alla coda", .toCoda),
    // The middle of the range that metronomes print.
    ("grave", .tempo(44)), ("largo", .tempo(50)), ("larghetto", .tempo(62)), ("lento", .tempo(56)),
    ("adagio", .tempo(66)), ("adagietto", .tempo(72)), ("andante", .tempo(84)), ("andantino", .tempo(90)),
    ("moderato", .tempo(108)), ("allegretto", .tempo(112)), ("allegro moderato", .tempo(116)),
    ("allegro", .tempo(132)), ("vivace", .tempo(152)), ("presto", .tempo(176)), ("prestissimo", .tempo(200)),
  ]

  /// The meaning of words. The longest beginning that fits decides, so `larghetto` is not `largo`.
  static func meaning(of text: String) -> Meaning {
    guard !text.isEmpty, text.utf8.count < 100 else { return .nothing }
    let lower = text.lowercased()
    if lower == "fine" || lower == "fine." { return .fine }
    if lower == "rit" { return .ritardando }
    let match = beginnings.filter { lower.hasPrefix($0.0) }.max { $0.0.utf8.count < $1.0.utf8.count }
    return match?.1 ?? .nothing
  }
}
