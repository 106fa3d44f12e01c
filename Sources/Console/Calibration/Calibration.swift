import Audio
import Engine
import Measurement
import MusicalTime
import NIOCore
import Realtime

/// Lets the pages click one after another, and measures with the microphone of the peer how late each page sounds. Used on the event
/// loop only.
///
/// In the turn of a page, the peer clicks before and after the page, so that the latency of the microphone has no effect: see
/// `Measurement.CalibrationAnalysis`. If the latency of the microphone is known, the peer does not click.
final class Calibration {
  /// The time in which a page must answer the frame `clicks`.
  private static let patience = Nanoseconds.seconds(1)
  /// The least time between the answer of a page and the first click. The microphone starts in this time.
  private static let preparation = Nanoseconds.milliseconds(600)
  /// The time for which the recording continues after the last click, so that it contains the clicks of a late device.
  private static let tail = Nanoseconds.milliseconds(700)
  /// The result must arrive within this time after the end of the recording. A slow machine needs some seconds for the analysis.
  private static let margin = Nanoseconds.seconds(20)

  private unowned let pages: Pages
  private let microphone: Microphone
  private let mailbox: Mailbox
  private let eventLoop: any EventLoop
  private let report: @Sendable (CalibrationEvent) -> Void
  private(set) var state = CalibrationState()
  /// The pages that have not clicked yet.
  private var waiting: [PageHandler] = []
  /// The page of the present turn, and the instant from which the clicks of the turn are counted (`Measurement.ClickPattern`).
  private var current: (page: PageHandler, beginning: Instant)?
  /// The number of the present turn. Answers to earlier turns are ignored.
  private var turn = 0
  /// Whether the page of the present turn has answered, or the turn has ended. Further answers are ignored.
  private var hasAnswered = false

  init(
    pages: Pages, microphone: Microphone, mailbox: Mailbox, eventLoop: any EventLoop,
    report: @escaping @Sendable (CalibrationEvent) -> Void
  ) {
    (self.pages, self.microphone, self.mailbox) = (pages, microphone, mailbox)
    (self.eventLoop, self.report) = (eventLoop, report)
  }

  /// Starts a calibration with the turn of the first page.
  ///
  /// - Parameters:
  ///   - handlers: the pages in the order in which they click.
  ///   - plays: whether a rhythm plays. The calibration is then refused.
  func start(_ handlers: [PageHandler], plays: Bool) {
    guard !state.isRunning else { return fail("a calibration is in progress; wait until it has ended", ends: false) }
    guard !plays else { return fail("the rhythm plays; stop it, and start the calibration again") }
    guard !handlers.isEmpty else {
      return fail("no web page of this peer is open; open the page on each device, and press Join")
    }
    state = CalibrationState(isRunning: true, pages: handlers.count)
    waiting = handlers
    report(.began(pages: handlers.count))
    next()
  }

  /// Begins the turn of the next page, or ends the calibration after the last page.
  private func next() {
    guard !waiting.isEmpty else {
      (state.isRunning, current) = (false, nil)
      report(.ended)
      return pages.show(.calibration, state)
    }
    pages.show(.calibration, state)
    let page = waiting.removeFirst()
    turn += 1
    hasAnswered = false
    // If the peer clicks too, it clicks first. Its clicks are posted after the answer of the page, and must be passed to the sound
    // `soundLead` before they are due.
    let beginning = MonotonicClock.now + Self.patience + max(Self.preparation, pages.soundLead)
    current = (page, beginning)
    page.requestClicks(turn: turn, at: ClickPattern.device.instants(from: beginning))
    let turn = turn
    eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Self.patience.count)) {
      if turn == self.turn, !self.hasAnswered { self.finish(problem: "the page does not answer; open it again") }
    }
  }

  /// Processes the answer of a page to the frame `clicks`, and starts the recording.
  ///
  /// - Parameter isReady: whether the page will click. A page cannot click if it is hidden, if its sound is off, if it has not loaded the
  ///   sound of the click yet, or if it does not know the peer's clock yet.
  func answer(from page: PageHandler, turn: Int, isReady: Bool) {
    guard let current, turn == self.turn, page === current.page, !hasAnswered else { return }
    guard isReady else {
      return finish(
        problem:
          "the page cannot play clicks: its sound is off, or it is hidden or still loads; press Join or “Turn the sound on”, "
          + "and keep it visible")
    }
    hasAnswered = true
    // The clicks of the peer are the reference. They are needed only if the latency of the microphone is unknown.
    let usesReference = microphone.latency == nil
    let clicks = ClickPattern.reference.instants(from: current.beginning)
    if usesReference { for click in clicks { mailbox.post(.click(at: click)) } }
    let beginning = current.beginning
    // The last click of the reference is after the clicks of the page. If the peer does not click, the recording ends at the same instant.
    let end = (clicks.last ?? beginning) + Self.tail
    guard let device = microphone.device else {
      eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds((end - MonotonicClock.now).count)) {
        self.finish(
          problem: "this peer has no microphone, so it measured nothing; record the room with another device during a "
            + "calibration, then run `tutti calibrate --from FILE`")
      }
      return
    }
    let (bound, turn) = (NIOLoopBound(self, eventLoop: eventLoop), turn)
    // Opening or reading a device can block for ever if its sound server hangs.
    eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds((end + Self.margin - MonotonicClock.now).count)) {
      if self.state.isRunning, turn == self.turn {
        self.fail("the microphone \(device) does not answer; use --microphone with another one")
      }
    }
    microphone.record(device, until: end) { recording in
      Result { () throws(CalibrationError) in
        try CalibrationAnalysis(recording).delay(from: beginning, usesReference: usesReference)
      }
    } deliver: { [eventLoop] result in
      eventLoop.execute {
        bound.value.finish(turn, result)
      }
    }
  }

  /// Processes the result of a recording, unless its turn or the calibration has ended.
  private func finish(_ turn: Int, _ result: Result<Result<DeviceDelay, CalibrationError>, PCMError>) {
    guard state.isRunning, turn == self.turn else { return }
    switch result {
    case .success(.success(let delay)): finish(delay)
    case .success(.failure(let error)): finish(problem: "\(error)")
    case .failure(let error): fail("\(error)")
    }
  }

  /// Ends the present turn with a delay, which is sent to the page, or with the reason why there is none. Begins the next turn.
  private func finish(_ delay: DeviceDelay? = nil, problem: String? = nil) {
    guard let page = current?.page else { return }
    if let delay { page.send(delay, turn: turn) }
    hasAnswered = true
    let result = CalibrationReport(page: page.number, address: page.address, delay: delay, problem: problem)
    state.results.append(result)
    report(.measured(result))
    next()
  }

  /// Reports that a calibration cannot begin or cannot continue.
  ///
  /// - Parameter ends: false if a calibration in progress continues.
  private func fail(_ reason: String, ends: Bool = true) {
    report(.failed(reason))
    guard ends else { return }
    (state.isRunning, state.problem, current) = (false, reason, nil)
    waiting = []
    pages.show(.calibration, state)
  }
}
