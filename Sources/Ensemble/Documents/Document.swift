public import PeerProtocol

/// A document as peers transfer it, such as the text of a patch, which describes a rhythm.
public struct Document: Hashable, Sendable {
  /// The largest number of octets: 1 MiB.
  public static let maximumLength = 1 << 20

  public let kind: DocumentKind
  public let digest: DocumentDigest
  /// At least one octet. The octets of a received document can be anything.
  public let octets: [UInt8]

  /// Returns nil if there are no octets, or more than ``maximumLength``.
  ///
  /// Real-time: not safe.
  public init?(_ kind: DocumentKind, _ octets: [UInt8]) {
    guard !octets.isEmpty, octets.count <= Self.maximumLength else { return nil }
    (self.kind, digest, self.octets) = (kind, DocumentDigest(of: octets), octets)
  }

  /// The number of parts.
  var partCount: Int { (octets.count + DocumentPart.maximumLength - 1) / DocumentPart.maximumLength }

  /// The part with this number, which is less than ``partCount``.
  func part(_ index: Int) -> DocumentPart {
    let start = index * DocumentPart.maximumLength
    let part = octets[start..<min(start + DocumentPart.maximumLength, octets.count)]
    return DocumentPart(kind, digest, index: UInt16(index), of: UInt16(partCount), octets: Array(part))
  }
}

/// The rhythms or the scores that the local peer has, the last used one at the end.
struct DocumentCache: Sendable {
  /// The largest number of documents, and of their octets in all.
  let maximumCount: Int
  let maximumLength: Int

  /// The documents, with the outcome of the check by the engine; nil: not checked yet.
  private var entries: [(document: Document, isPlayable: Bool?)] = []

  init(maximumCount: Int, maximumLength: Int) {
    (self.maximumCount, self.maximumLength) = (maximumCount, maximumLength)
  }

  /// The document with this digest.
  subscript(digest: DocumentDigest) -> Document? { entries.first { $0.document.digest == digest }?.document }

  /// Whether the engine can play the document with this digest; nil if this is not known.
  func isPlayable(_ digest: DocumentDigest) -> Bool? {
    entries.first { $0.document.digest == digest }.flatMap { $0.isPlayable }
  }

  /// Adds a document, or makes it the last used one. Removes the documents that were not used for the longest time if there are too many,
  /// except those in `kept`.
  mutating func insert(_ document: Document, isPlayable: Bool?, keeping kept: Set<DocumentDigest>) {
    let former = entries.firstIndex { $0.document.digest == document.digest }.map { entries.remove(at: $0) }
    entries.append((document, isPlayable ?? former?.isPlayable))
    while entries.count > maximumCount || entries.reduce(0, { $0 + $1.document.octets.count }) > maximumLength {
      guard let index = entries.dropLast().firstIndex(where: { !kept.contains($0.document.digest) }) else { return }
      entries.remove(at: index)
    }
  }

  /// Records whether the engine can play a document.
  mutating func record(_ digest: DocumentDigest, isPlayable: Bool) {
    if let index = entries.firstIndex(where: { $0.document.digest == digest }) {
      entries[index].isPlayable = isPlayable
    }
  }
}
