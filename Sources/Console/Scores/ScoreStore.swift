import Dispatch
import Engraving
import Fonts
import Foundation
import NIOCore
import PeerProtocol
import Scores
import Synchronization

/// Engraves parts of the scores that play, on a background queue, and keeps the newest ones in memory.
///
/// A page asks for one part at its own width: `/score/DIGEST/PART/WIDTH/ZOOM/TRANSPOSITION.svg` (``Request``). The path names everything
/// that determines the picture, so browsers may keep it for ever. The server answers each request before it reads the next one, and
/// engraving takes longer. The first answer is therefore ``Answer/waits``, and the page asks again.
final class ScoreStore: Sendable {
  /// The beginning of the URL paths of all parts, and of the text fonts.
  static let pathPrefix = "/score/"
  /// The size of all files together, in octets, above which the oldest ones are discarded.
  static let maximumSize = 8 << 20
  /// The number of parts that may wait for their engraving.
  static let maximumWaiting = 32
  /// The distance of two staff lines at a zoom of 100 %, in CSS pixels. A staff is 28 pixels high.
  static let staffSpace = 7.0

  /// A part of a score, as a page shows it.
  struct Request: Hashable {
    var digest: DocumentDigest
    /// The index in `Score.parts`.
    var part: Int
    /// The width in CSS pixels.
    var width: Int
    /// The size in percent.
    var zoom: Int
    /// The semitones by which the part is moved.
    var transposition: Int

    /// The permitted widths, zooms and transpositions.
    static let (widths, zooms, transpositions) = (50...20_000, 40...400, -24...24)

    /// Parses a URL path; nil if it is malformed or a number is out of range.
    init?(path: String) {
      guard path.hasPrefix(ScoreStore.pathPrefix), path.hasSuffix(".svg") else { return nil }
      let fields = path.dropFirst(ScoreStore.pathPrefix.count).dropLast(4).split(
        separator: "/", omittingEmptySubsequences: false)
      guard fields.count == 5, let digest = DocumentDigest("\(fields[0])") else { return nil }
      let numbers = fields.dropFirst().compactMap { Int($0) }
      guard numbers.count == 4, (0..<Score.Limits.parts).contains(numbers[0]), Self.widths.contains(numbers[1]),
        Self.zooms.contains(numbers[2]), Self.transpositions.contains(numbers[3])
      else { return nil }
      (self.digest, part, width, zoom, transposition) = (digest, numbers[0], numbers[1], numbers[2], numbers[3])
    }
  }

  /// The answer to a request.
  enum Answer {
    case file(PageFile)
    /// The part is being engraved. The page asks again soon.
    case waits
    /// The part cannot be engraved, with the reason.
    case refused(String)
    /// The peer does not have the score, or it has no such part.
    case unknown
    /// Too many parts wait.
    case busy
  }

  private struct Contents {
    var scores: [DocumentDigest: Score] = [:]
    var answers: [Request: (answer: Answer, size: Int)] = [:]
    /// The keys of ``answers``, the oldest first.
    var order: [Request] = []
    var size = 0
    var waiting: Set<Request> = []
  }

  private let queue = DispatchQueue(label: "engraving", qos: .utility)
  private let contents = Mutex(Contents())
  /// The files of the faces of the words, by URL path, read with the first request.
  private let faces = Mutex<[String: Answer]>([:])
  /// The fonts, loaded with the first part.
  private let fonts = Mutex<Result<FontSet, FontFault>?>(nil)

  /// Sets the score that pages may request; nil: none.
  func set(_ digest: DocumentDigest?, _ score: Score?) {
    contents.withLock { contents in
      guard contents.scores.keys.first != digest || (contents.scores.isEmpty && score != nil) else { return }
      contents.scores = [:]
      if let digest, let score { contents.scores[digest] = score }
    }
  }

  /// The answer to a request for a URL path: a part, or a face of the words. Nil if the path is malformed.
  func answer(to path: String) -> Answer? {
    if let request = Request(path: path) { return self[request] }
    let names: [(name: String, face: TextStyle.Face)] = [("roman", .roman), ("italic", .italic), ("bold", .bold)]
    guard let face = names.first(where: { path == "\(Self.pathPrefix)\($0.name).otf" })?.face else { return nil }
    return faces.withLock { faces in
      if let known = faces[path] { return known }
      let answer: Answer
      do throws(FontFault) {
        let octets = FileManager.default.contents(atPath: try TextFont.path(of: face))
        answer = octets.map { .file(PageFile(type: "font/otf", octets: [UInt8]($0))) } ?? .unknown
      } catch { answer = .refused("\(error)") }
      faces[path] = answer
      return answer
    }
  }

  /// The answer to a request for a part. Engraves it in the background if it is not stored.
  private subscript(request: Request) -> Answer {
    let (answer, score) = contents.withLock { contents -> (Answer, Score?) in
      if let stored = contents.answers[request] { return (stored.answer, nil) }
      if contents.waiting.contains(request) { return (.waits, nil) }
      guard let score = contents.scores[request.digest], score.parts.indices.contains(request.part) else {
        return (.unknown, nil)
      }
      guard contents.waiting.count < Self.maximumWaiting else { return (.busy, nil) }
      contents.waiting.insert(request)
      return (.waits, score)
    }
    if let score { queue.async { [self] in store(engrave(request, score), for: request) } }
    return answer
  }

  private func store(_ answer: Answer, for request: Request) {
    let size = if case .file(let file) = answer { file.size } else { 0 }
    contents.withLock { contents in
      contents.waiting.remove(request)
      contents.answers[request] = (answer, size)
      contents.order.append(request)
      contents.size += size
      while contents.size > Self.maximumSize || contents.order.count > 1024, contents.order.count > 1 {
        let oldest = contents.order.removeFirst()
        contents.size -= contents.answers.removeValue(forKey: oldest)?.size ?? 0
      }
    }
  }

  private func engrave(_ request: Request, _ score: Score) -> Answer {
    do {
      let fonts = try loadFonts()
      var moved = score
      if request.transposition != 0, let interval = Interval(semitones: request.transposition) {
        moved = try score.transposed(by: interval)
      }
      let space = Self.staffSpace * Double(request.zoom) / 100
      // The page shows the title and the name of the part itself.
      var options = Engraver.Options()
      options.showsHeader = false
      let width = Double(request.width) / space - 2 * SVGDocument.margin
      let engraver = Engraver(fonts: fonts, width: width, options: options)
      let part = try engraver.engrave(moved, part: request.part)
      let document = SVGDocument(part, of: moved, font: fonts.music, name: moved.parts[request.part].name)
      return .file(PageFile(type: "image/svg+xml", octets: document.octets))
    } catch {
      return .refused("\(error)")
    }
  }

  private func loadFonts() throws -> FontSet {
    try fonts.withLock { fonts in
      if fonts == nil { fonts = Result { () throws(FontFault) in try FontSet.installed() } }
      return try fonts!.get()
    }
  }
}
