import BuildVersion
import Engine
import Foundation
import MusicalTime
import NIOCore
import PeerProtocol
import Realtime
import Receiving

/// The open pages: sends them the state of the peer, and passes their commands to the peer. Used on the event loop only.
final class Pages {
  /// The maximum number of pages.
  static let maximumCount = 128
  /// A page that has not read its frames for this time is closed.
  private static let maximumBlocking = Nanoseconds.seconds(10)
  let state = SharedState()
  var counters = ConsoleCounters()
  /// Measures the delays of the pages. The server sets it once. Nil in tests without a calibration.
  var calibration: Calibration?
  /// How long before its instant a sound must be passed to the audio output of the peer (``Engine/PeerSnapshot/soundLead``).
  private(set) var soundLead = Nanoseconds.zero
  /// Whether a rhythm plays.
  private var plays = false
  /// The number of pages that were opened so far.
  private var opened = 0
  private var pages: [ObjectIdentifier: PageHandler] = [:]
  private let mailbox: Mailbox
  private let library: any RhythmLibrary
  /// A random number that is new after each start of the peer. The frame `welcome` contains the number. A page that connects again
  /// recognises from the number whether the peer was restarted in the meantime.
  private let instance = String(UInt64.random(in: 0 ... .max), radix: 16)
  private let eventLoop: any EventLoop
  /// The names of the rhythms that pages may select.
  private var rhythms: Set<String> = []
  /// The instruments of the patch folders; nil before the library has delivered them.
  private(set) var customInstruments: [PageInstrument]?
  /// The names of the hosts to which pages may connect the peer.
  private var hosts: Set<String> = []

  /// The number of pages whose player has pressed *Join*.
  private(set) var players = 0
  /// The greatest ``PageHandler/delay`` of the pages whose player has pressed *Join*; zero if there are none.
  private var delay = Nanoseconds.zero
  private let onPlayers: @Sendable (Int) -> Void

  /// - Parameter onPlayers: is called with ``players`` after each change.
  init(
    mailbox: Mailbox, library: any RhythmLibrary, eventLoop: any EventLoop,
    onPlayers: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    (self.mailbox, self.library, self.eventLoop, self.onPlayers) = (mailbox, library, eventLoop, onPlayers)
  }

  /// The number of pages.
  var count: Int { pages.count }

  /// Returns a number for a new page. The first page has the number 1.
  func nextNumber() -> Int {
    opened += 1
    return opened
  }

  /// Starts a calibration, in which all pages click, one after another.
  func calibrate() { calibration?.start(pages.values.sorted { $0.number < $1.number }, plays: plays) }

  /// Shows a new payload on all pages.
  func show(_ kind: FrameKind, _ value: some Encodable) { if state.set(kind, json: value) { update([kind]) } }

  /// Adds a page. Returns false if there are too many.
  func add(_ page: PageHandler) -> Bool {
    guard pages.count < Self.maximumCount else {
      counters.refused += 1
      return false
    }
    pages[ObjectIdentifier(page)] = page
    // The files of the patches may have changed since the last page was opened.
    updateLibrary()
    return true
  }

  func remove(_ page: PageHandler) {
    guard pages.removeValue(forKey: ObjectIdentifier(page)) != nil else { return }
    updatePlayers()
    // A page that has connected again with the same identity continues.
    guard page.plays, !pages.values.contains(where: { $0.plays && $0.identity == page.identity }) else { return }
    mailbox.post(.part, by: page.identity)
  }

  /// Closes the page of a player that has continued at another peer. If the page still runs, it connects again.
  func close(_ player: Identity) {
    for page in pages.values where page.plays && page.identity == player { page.close(.goingAway) }
  }

  /// Passes a command about the player of a page to the peer.
  func post(_ command: PlayerCommand, by page: PageHandler) { mailbox.post(command, by: page.identity) }

  /// Counts the pages whose player has joined, and tells the peer the greatest delay of these pages.
  func updatePlayers() {
    let delays = pages.values.compactMap(\.delay)
    let greatest = delays.max() ?? .zero
    if greatest != delay {
      delay = greatest
      mailbox.post(.pageDelay(greatest))
    }
    let count = delays.count
    guard count != players else { return }
    players = count
    onPlayers(count)
  }

  /// Reads the rhythms and the instruments again. Shows the rhythms on all pages. ``PageServer`` shows the instruments, with their sounds.
  private func updateLibrary() {
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    library.readCards { [eventLoop] cards in eventLoop.execute { bound.value.show(cards) } }
    library.readInstruments { [eventLoop] instruments in
      let custom = instruments.prefix(PageInstrument.maximumCustom).map { PageInstrument($0.instrument, file: $0.file) }
      eventLoop.execute { bound.value.customInstruments = custom }
    }
  }

  private func show(_ cards: [RhythmCard]) {
    rhythms = Set(cards.map(\.name))
    show(.library, ["rhythms": cards])
  }

  /// Returns the payload of the frame `welcome`, which is the first frame that a page gets.
  func welcome(for access: Access) -> ByteBuffer {
    let octets = try? JSONEncoder().encode([
      "access": access.rawValue, "version": Version.current, "instance": instance,
    ])
    return ByteBuffer(bytes: octets ?? Data())
  }

  /// Sends the newest payloads of the kinds `changed` to all pages.
  func update(_ changed: [FrameKind]) {
    guard !changed.isEmpty else { return }
    for page in pages.values { page.update(changed) }
  }

  /// Sends notes to all pages, except those of the page's own player.
  func show(_ notes: [PlayedNote]) { for page in pages.values { page.send(notes) } }

  /// Updates the state from a snapshot of the peer, and sends the changes to all pages.
  func show(_ snapshot: PeerSnapshot) {
    (soundLead, plays) = (snapshot.soundLead, snapshot.plays)
    hosts = Set(snapshot.hosts?.map(\.name) ?? [])
    update(state.update(snapshot))
  }

  /// Passes a command of a page to the peer.
  ///
  /// - Returns: false if the command was dropped.
  @discardableResult
  func execute(_ command: Command, by page: PageHandler) -> Bool {
    switch command {
    case .player(.connect(let host)) where !hosts.contains(host):
      // The page may choose only from the list. Any other name could be an arbitrary address, or text for the log.
      counters.malformed += 1
      return false
    case .player(let command): mailbox.post(command, by: page.identity)
    case .calibrate: calibrate()
    // These commands never arrive here: ``PageHandler`` passes the first one to the calibration, and pages may not send the others.
    case .clicking, .selectScore, .listRhythms, .help, .selectInstrument, .saveRhythm: break
    case .selectRhythm(let name):
      // The page may choose only from the list. Any other name could be a path of the file system.
      guard rhythms.contains(name) else {
        counters.malformed += 1
        return false
      }
      library.select(name)
    }
    return true
  }

  /// Pings all pages, and closes those that have disappeared or do not read. Called once per second.
  func maintain(at now: Instant) {
    for page in pages.values {
      page.pingIfDue(at: now)
      let isBlocked = page.blockedSince.map { now - $0 > Self.maximumBlocking } ?? false
      if isBlocked || now - page.heard > PageHandler.patience { page.close(.goingAway) }
    }
  }

  /// Closes all pages.
  func closeAll() { for page in pages.values { page.close(.goingAway) } }
}

/// The numbers of frames, commands and pages that the console has not accepted.
struct ConsoleCounters {
  /// Frames and commands above the permitted rate.
  var limited = 0
  /// Frames that could not be decoded, and commands that were not permitted.
  var malformed = 0
  /// Pages that were refused because ``Pages/maximumCount`` pages were open.
  var refused = 0
}
