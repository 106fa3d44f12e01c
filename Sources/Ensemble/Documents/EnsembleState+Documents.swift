public import MusicalTime
public import PeerProtocol
public import Rhythm

/// The rhythm that the local peer plays, or would start with.
public struct RhythmChoice: Hashable, Sendable {
  /// The digest of its text; nil if the text is unknown or too long to be shared.
  public var digest: DocumentDigest?
  /// The meter of its bars.
  public var meter = Meter.common
  /// The positions at which its layers can change while the local peer is the master: beats or bars.
  public var layerChange = LayerChange.beat

  public init(digest: DocumentDigest? = nil, meter: Meter = .common, layerChange: LayerChange = .beat) {
    (self.digest, self.meter, self.layerChange) = (digest, meter, layerChange)
  }
}

/// The documents of the local peer, and those that it is sending and receiving.
struct Documents: Sendable {
  /// The shortest time between the beginnings of two receptions while nobody plays. This time limits the load from a peer that changes its
  /// selection continually.
  static var pause: Nanoseconds { .seconds(1) }

  var cache = DocumentCache(maximumCount: 16, maximumLength: Document.maximumLength)
  var sending = DocumentSending()
  /// The document that the local peer is receiving.
  var reception: DocumentReception?
  /// When the last reception began.
  var lastBeginning = Instant(nanoseconds: .min / 2)
  /// The rhythm that another peer has selected last.
  var newestSelection: DocumentDigest?
  /// The peers that sent other octets than those of the requested document; at most sixteen, the newest last. They are not asked for this
  /// document again.
  var forgeries: [(holder: Identity, digest: DocumentDigest)] = []
  /// A document whose parts from several holders did not fit together. All its parts then come from one holder.
  var suspected: DocumentDigest?
}

// How peers get the rhythms of the others before they need them.
//
// Each peer reports the digest of its rhythm in its presence: the rhythm that it plays, or would start with. A peer that lacks the newest
// selection requests it, part by part (``DocumentReception``), from any peer that has it. While a rhythm plays, followers request the
// rhythm of the timeline message and the next selection of the master. The engine checks a document that has arrived, and the presence
// reports the answer (``RhythmAnswer``). All peers with the same rhythm and the same total activity play the same steps.
extension EnsembleState {
  /// Whether the local player may choose a rhythm. False while the local peer plays the rhythm of its master.
  public var choosesPatch: Bool {
    guard role.master != nil, let timelineMessage else { return true }
    return !playsShared(timelineMessage.rhythm.next.digest)
  }

  /// The document with this digest, if the local peer has it.
  public func document(_ digest: DocumentDigest) -> Document? {
    if players.document.digest == digest { return players.document }
    if let document = documents.cache[digest] ?? shelf.cache[digest] { return document }
    // The lists of members, for peers that cannot reach them.
    for member in roster.members {
      if let list = roster[member.slot].membership!.players.document, list.digest == digest { return list }
    }
    return nil
  }

  /// Plays a rhythm from now on, or from a bar line: the choice of the player, or the rhythm of the master that has been received. As the
  /// master, the local peer changes to the rhythm together with the others (``settleRhythm(at:)``).
  ///
  /// - Parameter document: the text of the rhythm; nil if it is too long to be shared.
  public mutating func play(_ choice: RhythmChoice, document: Document?, at now: Instant) {
    if let document { documents.cache.insert(document, isPlayable: true, keeping: neededRhythms) }
    guard choice != rhythm else { return }
    rhythm = choice
    switch role {
    case .idle: break
    // A peer that keeps the rhythm of a lost leader does not change it.
    case .master: if keptFor == nil { requestRhythm(at: now) }
    case .follower: settleOwnRhythm(at: now)
    }
  }

  /// Records that the engine can play the received document with this digest.
  public mutating func accept(_ digest: DocumentDigest, at now: Instant) {
    documents.cache.record(digest, isPlayable: true)
    settleOwnRhythm(at: now)
  }

  /// Records that the received document with this digest cannot be played. The local peer continues its own rhythm.
  public mutating func refuse(_ digest: DocumentDigest, at now: Instant) {
    documents.cache.record(digest, isPlayable: false)
    settleOwnRhythm(at: now)
  }

  /// Whether the local peer plays the shared rhythm with this digest. True also while the rhythm has not arrived yet: the local peer is then
  /// silent.
  func playsShared(_ digest: DocumentDigest?) -> Bool {
    guard followsPatch, let digest else { return false }
    return documents.cache.isPlayable(digest) != false
  }

  /// The answer of the local peer in its presence.
  var rhythmAnswer: RhythmAnswer {
    if !followsPatch { return .playsItsOwn }
    guard let digest = role.master.map({ reportedRhythm(of: $0) }) ?? documents.newestSelection,
      let isPlayable = documents.cache.isPlayable(digest)
    else { return .none }
    return isPlayable ? .ready(digest) : .refused(digest)
  }

  /// The rhythm that a peer has reported last.
  func reportedRhythm(of peer: Identity) -> DocumentDigest? {
    roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.rhythm }
  }

  /// The documents that the cache must not remove.
  private var neededRhythms: Set<DocumentDigest> {
    let played = [
      rhythm.digest, lastRun?.rhythm, timelineMessage?.rhythm.value.digest, timelineMessage?.rhythm.next.digest,
    ]
    return Set(played.compactMap { $0 })
  }

  // MARK: Reception

  /// Handles the rhythm in the presence of the peer with identity `sender`.
  ///
  /// - Parameter isNews: whether the peer has selected this rhythm since its last presence.
  mutating func heardRhythm(_ digest: DocumentDigest?, from sender: Identity, isNews: Bool, at now: Instant) {
    guard let digest, followsPatch, admits(.rhythm, from: sender) else { return }
    switch role {
    case .master: return
    case .follower(let master):
      guard sender == master else { return }
      fetchMasterRhythm(at: now)
    case .idle:
      if isNews { documents.newestSelection = digest }
      // A newer selection cancels the reception of an older one.
      if let reception = documents.reception, !isNews || reception.digest == digest { return }
      guard now >= documents.lastBeginning + Documents.pause else { return }
      let wanted = documents.cache[digest] == nil ? digest : lastRun?.rhythm ?? digest
      fetch(.rhythm, wanted, from: sender, at: now)
    }
  }

  /// Requests the first document that the local peer lacks: the rhythm and the score that play, the next ones, and the newest selections of the
  /// master. A master that has restarted may lack the score of its own rhythm, and requests it from a follower. A reception that is still
  /// wanted continues: a new one would begin at the first part.
  mutating func fetchMasterRhythm(at now: Instant) {
    guard let message = timelineMessage, role != .idle, followsPatch else { return }
    let master = role.master
    let (rhythms, scores) = (message.rhythm, message.score)
    var wanted: [(kind: DocumentKind, digest: DocumentDigest?)] = [
      (.rhythm, rhythms.value.digest), (.score, scores.value.digest), (.rhythm, rhythms.next.digest),
      (.score, scores.next.digest),
    ]
    if let master {
      wanted += [(.rhythm, reportedRhythm(of: master)), (.score, reportedScore(of: master))]
    } else {
      wanted.removeAll { $0.kind == .rhythm }
    }
    let missing = wanted.compactMap { kind, digest in digest.map { (kind, $0) } }.filter { document($0.1) == nil }
    guard let (kind, digest) = missing.first, !missing.contains(where: { $0.1 == documents.reception?.digest }) else {
      return
    }
    fetch(kind, digest, from: master, at: now)
  }

  /// The score that a peer has, as it has reported last.
  private func reportedScore(of peer: Identity) -> DocumentDigest? {
    roster.slot(of: peer).flatMap { roster[$0].membership?.presence?.score }
  }

  /// The score that the local peer has: the one that plays, or with which it would start.
  var heldScore: DocumentDigest? {
    scoreDigest.flatMap { shelf.cache.isPlayable($0) == true ? $0 : nil }
  }

  /// Handles the score in the presence of the peer with identity `sender`.
  ///
  /// - Parameter isNews: whether the peer reports this score for the first time.
  mutating func heardScore(_ digest: DocumentDigest?, from sender: Identity, isNews: Bool, at now: Instant) {
    guard let digest, followsPatch, admits(.rhythm, from: sender) else { return }
    if isNews { shelf.newestSelection = digest }
    guard role == .idle else {
      if role.master == sender || role == .master { fetchMasterRhythm(at: now) }
      return
    }
    guard documents.reception == nil, digest == shelf.newestSelection, document(digest) == nil,
      now >= documents.lastBeginning + Documents.pause
    else { return }
    fetch(.score, digest, from: sender, at: now)
  }

  /// Begins to receive a document, unless the local peer has it: from the peer with identity `announcer`, or, if this has failed, from another
  /// peer that has it. If the local peer is already receiving the document, the parts that have arrived stay.
  ///
  /// - Parameter silent: the peer that has just been asked and does not answer. It is asked again if there is no other one.
  private mutating func fetch(
    _ kind: DocumentKind, _ digest: DocumentDigest, from announcer: Identity?, except silent: Identity? = nil,
    at now: Instant
  ) {
    let isHere = document(digest) != nil
    if isHere || documents.reception?.digest != digest || documents.suspected == digest { documents.reception = nil }
    guard !isHere else { return }
    var others = holders(of: digest)
    // A score is large. The peers that need it at the same time ask different holders.
    let turn = others.isEmpty ? 0 : Int(identity.bits % UInt64(others.count))
    if kind == .score { others = Array(others[turn...] + others[..<turn]) }
    let candidates = kind == .score && !others.isEmpty ? others : [announcer].compactMap { $0 } + others
    let usable = candidates.filter { mayServe($0, digest) }
    guard let holder = usable.first(where: { $0 != silent }) ?? usable.first else {
      documents.reception = nil
      return
    }
    documents.lastBeginning = now
    if documents.reception == nil {
      documents.reception = DocumentReception(kind, digest, from: holder, at: now)
    } else {
      documents.reception!.ask(holder, at: now)
    }
    advanceReception(to: now)
  }

  /// The members that report that they have a document.
  private func holders(of digest: DocumentDigest) -> [Identity] {
    roster.members.filter { member in
      guard let presence = roster[member.slot].membership?.presence else { return false }
      return presence.rhythm == digest || presence.answer == .ready(digest) || presence.score == digest
    }.map(\.identity)
  }

  private func mayServe(_ holder: Identity, _ digest: DocumentDigest) -> Bool {
    roster.isDirect(holder) && !documents.forgeries.contains { $0 == (holder, digest) }
  }

  /// Sends the next request if it is due. Ends a reception that has failed.
  private mutating func advanceReception(to now: Instant) {
    guard let reception = documents.reception, now >= reception.nextRequest else { return }
    if reception.hasFailed || !roster.containsMember(reception.holder) {
      return fetch(reception.kind, reception.digest, from: reception.holder, except: reception.holder, at: now)
    }
    // The holder serves others. Another peer may have the document by now.
    if reception.kind == .score, reception.isWaiting, reception.digest != documents.suspected {
      let others = holders(of: reception.digest).filter { mayServe($0, reception.digest) && $0 != reception.holder }
      if !others.isEmpty {
        documents.reception!.ask(others[Int(now.mixed(with: identity.bits) % UInt64(others.count))], at: now)
      }
    }
    if let request = documents.reception!.takeRequest(at: now) {
      emit(.send(.documentRequest(request), to: documents.reception!.holder, isNews: false))
    }
  }

  /// Adds a part to the document that the local peer receives. Drops a part that the local peer has not requested.
  mutating func received(_ part: DocumentPart, from sender: Identity, at now: Instant) {
    heard(sender, at: now)
    switch DocumentKind(rawValue: part.kind) {
    case .rhythm, .score: break
    case .players:
      return receivedPlayers(part, from: sender, at: now)
    case nil:
      rejected += 1
      return
    }
    guard let reception = documents.reception, reception.asked.contains(sender),
      let octets = documents.reception!.add(part, at: now)
    else { return advanceReception(to: now) }
    guard let document = Document(reception.kind, octets), document.digest == reception.digest else {
      rejected += 1
      documents.reception = nil
      documents.suspected = reception.digest
      if reception.asked.count == 1 {
        if documents.forgeries.count == 16 { documents.forgeries.removeFirst() }
        documents.forgeries.append((sender, reception.digest))
      }
      return fetch(reception.kind, reception.digest, from: sender, at: now)
    }
    documents.reception = nil
    if reception.kind == .score {
      shelf.cache.insert(document, isPlayable: nil, keeping: neededScores)
    } else {
      documents.cache.insert(document, isPlayable: nil, keeping: neededRhythms)
    }
    emit(.event(.documentReceived(document, from: sender)))
    fetchMasterRhythm(at: now)
  }

  // MARK: Sending

  /// Handles a request of the peer with identity `sender` for a document.
  mutating func received(_ request: DocumentRequest, from sender: Identity, at now: Instant) {
    guard let slot = roster.memberSlot(of: sender), DocumentKind(rawValue: request.kind) != nil else {
      rejected += 1
      return
    }
    heard(slot, sender, at: now)
    let first = Int(request.first)
    guard let document = document(request.digest), first < document.partCount else { return }
    let end = min(first + DocumentSending.partsPerRequest, document.partCount)
    documents.sending.add(first..<end, of: request.digest, count: document.partCount, to: sender)
    advanceDocuments(to: now)
  }

  /// When ``advanceDocuments(to:)`` has something to do next.
  var documentDeadline: Instant {
    min(documents.reception?.nextRequest ?? .distantFuture, documents.sending.nextDeadline)
  }

  /// Sends the parts and the request that are due.
  mutating func advanceDocuments(to now: Instant) {
    while let (digest, index, receiver) = documents.sending.takePart(isPlaying: role != .idle, at: now) {
      if let document = document(digest), roster.containsMember(receiver) {
        emit(.send(.documentPart(document.part(index)), to: receiver, isNews: false))
      }
    }
    advanceReception(to: now)
  }
}
