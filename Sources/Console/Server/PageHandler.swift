import Engine
import Foundation
import Measurement
import MusicalTime
import NIOCore
import NIOWebSocket
import PeerProtocol
import Realtime
import Receiving

/// The WebSocket connection of one page: answers the clock requests of the page, passes the commands of the page to the peer, and
/// sends the state of the peer to the page. Used on the event loop only.
///
/// While the page does not read, no state is queued for it. As soon as the page reads again, it gets the newest payload of each kind
/// that has changed.
final class PageHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// A page may send this number of frames per second in the long run, and five times as many at once.
  private static let frameRate: Int64 = 100
  /// A page may send this number of commands per second in the long run, and four times as many at once. Each page has its own limit, so
  /// that one page does not silence the others.
  private static let commandRate: Int64 = 50
  /// The number of frames above ``frameRate`` after which the connection is closed.
  private static let maximumExcess = 1000
  /// The time between two pings. A browser answers pings even while it suspends the scripts of a hidden page.
  private static let pingInterval = Nanoseconds.seconds(10)
  /// A page from which no frame has arrived for this time is closed.
  static let patience = Nanoseconds.seconds(30)

  /// The longest delay that a page may report, in microseconds.
  static let maximumDelay: UInt32 = 2_000_000

  let access: Access
  /// The number of the page, from 1 in the order in which pages were opened.
  let number: Int
  /// The IP address of the page.
  private(set) var address = "unknown address"
  private unowned let pages: Pages
  private var context: ChannelHandlerContext?
  private var limiter = MessageBudget(rate: frameRate, depth: 5 * frameRate)
  /// The number of frames above ``frameRate`` so far.
  private var excess = 0
  /// The sequence number of the last frame that was sent.
  private var sequence: UInt32 = 0
  /// The kinds whose newest payload has not been sent to the page yet.
  private var pending: Set<FrameKind> = []
  /// When a frame last arrived.
  private(set) var heard = MonotonicClock.now
  /// The instant since which the page has not read the frames that were sent; nil if the page reads.
  private(set) var blockedSince: Instant?
  /// The instant of the last ping.
  private var pinged = MonotonicClock.now
  private var commandLimiter = MessageBudget(rate: commandRate, depth: 4 * commandRate)
  /// The identity of the player: the one that the page has given, or a random one.
  private(set) var identity = Identity(.random(in: 1 ... .max))
  /// Whether the player of the page plays: the page has given its player, or the player has pressed *Join*.
  private(set) var plays = false
  /// The strength of the present movement that the page reported last, 0...127.
  private var movement: UInt8 = 0
  /// The time from the sending of a change of the rhythm by this peer until the page sounds the change, from the newest frame
  /// ``FrameKind/output``. Nil if the player has not pressed *Join*, which turns the sound on.
  private(set) var delay: Nanoseconds?
  /// Whether a report of ``movement`` is scheduled.
  private var isMovementDue = false
  /// The keys that the page holds: one bit per key.
  private var held = UInt128(0)

  init(access: Access, pages: Pages) {
    (self.access, self.pages) = (access, pages)
    number = pages.nextNumber()
  }

  func handlerAdded(context: ChannelHandlerContext) {
    address = context.remoteAddress?.ipAddress ?? address
    let isAdded = pages.add(self)
    // While `context` is nil, nothing is sent. `context` is set after the addition of the page, so that no frame is sent before the frame
    // `welcome`.
    self.context = context
    // The page was refused, because there are too many pages.
    guard isAdded else { return close(.goingAway) }
    pending = Set(FrameKind.state)
    send(.welcome, pages.welcome(for: access), at: MonotonicClock.now)
    sendPending()
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  /// Ends the participation of the page. A second call has no effect.
  private func leave() {
    context = nil
    releaseNotes()
    pages.remove(self)
  }

  /// Ends the notes whose keys the page holds.
  private func releaseNotes() {
    guard held != 0 else { return }
    for key in UInt8(0)..<128 where held >> UInt128(key) & 1 != 0 { release(key) }
    held = 0
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // The receive instant of a clock request must contain no processing time, so the clock is read first.
    let now = MonotonicClock.now
    // After a close frame, frames of the page have no effect.
    guard self.context != nil else { return }
    heard = now
    let frame = Self.unwrapInboundIn(data)
    guard frame.isValid else { return close(.protocolError) }
    guard limiter.admit(at: now) else {
      pages.counters.limited += 1
      excess += 1
      // The refused frame may be the end of a note, so all notes of the page end.
      releaseNotes()
      if excess > Self.maximumExcess { close(.policyViolation) }
      return
    }
    // A message of a page is a single binary frame.
    guard frame.fin else { return close(.unacceptableData) }
    switch frame.opcode {
    case .binary: receive(frame.unmaskedData, at: now)
    case .ping where !context.channel.isWritable: break
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
      context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
    case .pong: break
    case .connectionClose: close(.normalClosure)
    default: close(.unacceptableData)
    }
  }

  private func receive(_ octets: ByteBuffer, at now: Instant) {
    guard let frame = Frame(octets) else {
      pages.counters.malformed += 1
      return
    }
    switch frame.kind {
    case .clockRequest: answer(frame, at: now)
    case .command:
      let arguments = try? JSONDecoder().decode(CommandArguments.self, from: Data(frame.payload.readableBytesView))
      if let given = arguments?.playerIdentity, !plays { identity = given }
      guard let command = arguments.flatMap({ Command($0, access: access) }) else {
        pages.counters.malformed += 1
        return
      }
      execute(command)
    case .activity:
      guard let value = frame.payload.getInteger(at: frame.payload.readerIndex, as: UInt8.self), value < 128 else {
        pages.counters.malformed += 1
        return
      }
      movement = value
      movementChanged()
    case .output:
      guard let delay = frame.payload.getInteger(at: frame.payload.readerIndex, as: UInt32.self),
        delay <= Self.maximumDelay
      else {
        pages.counters.malformed += 1
        return
      }
      self.delay = .microseconds(Int64(delay))
      pages.updatePlayers()
      if !plays { join(JoiningPlayer()) }
    // Frames that only a peer sends.
    case .welcome, .rhythm, .levels, .ensemble, .patch, .sounds, .library, .notices, .calibration, .partners,
      .alternatives, .notes, .score, .route, .clockReply, .clicks, .delay:
      pages.counters.malformed += 1
    }
  }

  private func execute(_ command: Command) {
    switch command {
    // The answer of the page to ``requestClicks(turn:at:)``: whether it will click.
    case .clicking(let turn, let isReady): pages.calibration?.answer(from: self, turn: turn, isReady: isReady)
    case .player(.join(let player)): if isAdmitted() { join(player) }
    case .player(.note(let key, let velocity, _)) where key < 128:
      let bit = UInt128(1) << UInt128(key)
      if velocity > 0 {
        if !plays { join(JoiningPlayer()) }
        if isAdmitted(), pages.execute(command, by: self) { held |= bit }
      } else if held & bit != 0 {
        // The limit does not apply to the end of a note. Otherwise the note would hang.
        held &= ~bit
        release(key)
      }
    case .player, .selectScore, .selectRhythm, .listRhythms, .help, .selectInstrument, .saveRhythm, .calibrate:
      if isAdmitted() { pages.execute(command, by: self) }
    }
  }

  /// Whether the limit of the page admits another command. Counts a refused command.
  private func isAdmitted() -> Bool {
    if commandLimiter.admit(at: MonotonicClock.now) { return true }
    pages.counters.limited += 1
    return false
  }

  /// Makes the page a player, or updates it.
  private func join(_ player: JoiningPlayer) {
    plays = true
    pages.post(.join(player), by: self)
  }

  /// Ends a note of the page.
  private func release(_ key: UInt8) { pages.post(.note(key, velocity: 0), by: self) }

  /// Schedules a report of ``movement`` to the peer, at most 20 times per second.
  private func movementChanged() {
    guard plays, !isMovementDue, let context else { return }
    isMovementDue = true
    context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(50)) {
      self.isMovementDue = false
      if self.context != nil { self.pages.post(.movement(self.movement), by: self) }
    }
  }

  /// Answers a clock request, as an NTP server does (RFC 5905, section 8). The payload of the reply contains two instants: when the page
  /// sent the request, by the clock of the page, and when the peer received the request, by the clock of the peer. The header of the
  /// reply contains the instant at which the peer sends the reply.
  private func answer(_ request: Frame, at now: Instant) {
    guard let context, context.channel.isWritable else { return }
    var payload = ByteBuffer()
    payload.writeMultipleIntegers(request.at.nanoseconds, now.nanoseconds)
    send(.clockReply, payload, at: MonotonicClock.now)
    context.flush()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      blockedSince = nil
      sendPending()
    } else {
      blockedSince = blockedSince ?? MonotonicClock.now
    }
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOWebSocketError.invalidFrameLength: close(.messageTooLarge)
    case is NIOWebSocketError: close(.protocolError)
    // Data after a frame that could not be decoded.
    case is ByteToMessageDecoderError: break
    default: context.close(promise: nil)
    }
  }

  /// Sends the newest payloads of the kinds `changed`, now or when the page reads again.
  func update(_ changed: [FrameKind]) {
    pending.formUnion(changed)
    sendPending()
  }

  /// Asks the page to click at `instants` of the peer's clock. In each turn of a calibration, one page clicks.
  func requestClicks(turn: Int, at instants: [Instant]) {
    // The instants are decimal digits. JSON numbers would be rounded, because JavaScript represents them as Float64.
    send(["turn": turn, "page": number, "instants": instants.map { "\($0.nanoseconds)" }], as: .clicks)
  }

  /// Sends the page the delay of its audio output, as the calibration has measured it.
  func send(_ delay: DeviceDelay, turn: Int) {
    send(["turn": turn, "delay": delay.milliseconds, "uncertainty": delay.uncertainty], as: .delay)
  }

  /// Sends the page the notes of the other players.
  func send(_ notes: [PlayedNote]) {
    guard let context, context.channel.isWritable else { return }
    var octets = ByteBuffer()
    for note in notes where note.player != identity { note.write(to: &octets) }
    guard octets.readableBytes > 0 else { return }
    send(.notes, octets, at: MonotonicClock.now)
    context.flush()
  }

  private func send(_ value: JSONObject, as kind: FrameKind) {
    guard let context, context.channel.isWritable, let octets = try? JSONEncoder().encode(value) else { return }
    send(kind, ByteBuffer(bytes: octets), at: MonotonicClock.now)
    context.flush()
  }

  private func sendPending() {
    guard let context else { return }
    // A new patch is sent before the rhythm, because the page needs the patch to play the rhythm. ``FrameKind/state`` contains `patch`
    // again. By then, `patch` is no longer pending and is skipped.
    for kind in [.patch] + FrameKind.state where context.channel.isWritable {
      guard pending.remove(kind) != nil, let payload = pages.state.payloads[kind] else { continue }
      // Notices and results of a calibration contain network addresses. Only pages with the access `lead` get them.
      if kind == .notices || kind == .calibration, access != .lead { continue }
      send(kind, payload.octets, at: payload.at)
    }
    context.flush()
  }

  /// Writes a frame, without flushing. `instant` is the instant in the header.
  private func send(_ kind: FrameKind, _ payload: ByteBuffer, at instant: Instant) {
    guard let context else { return }
    sequence &+= 1
    let frame = Frame(kind, sequence: sequence, at: instant, payload: payload)
    context.write(
      Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .binary, data: frame.encoded)), promise: nil)
  }

  /// Sends a ping (RFC 6455, section 5.5.2) if the last one is older than ``pingInterval``.
  func pingIfDue(at now: Instant) {
    guard let context, now - pinged >= Self.pingInterval, context.channel.isWritable else { return }
    pinged = now
    context.writeAndFlush(
      Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())), promise: nil)
  }

  /// Sends a close frame and closes the connection.
  func close(_ code: WebSocketErrorCode) {
    guard let context else { return }
    leave()
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    let channel = context.channel
    context.writeAndFlush(Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
      .whenComplete { _ in channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) } }
    // The page closes the connection when it has read the close frame. If it does not, the connection closes after a second.
    channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
  }
}

extension WebSocketFrame {
  /// Whether a client may send the frame. A frame of a client is masked (RFC 6455, section 5.1). Without extensions, the reserved bits
  /// and the reserved opcodes are not used (section 5.2). Messages of pages have one frame each, so a continuation continues nothing
  /// (section 5.4). The payload of a close frame is empty or begins with a code of two octets (section 5.5.1).
  fileprivate var isValid: Bool {
    guard maskKey != nil, !rsv1, !rsv2, !rsv3 else { return false }
    switch opcode {
    case .binary, .text, .ping, .pong: return true
    case .connectionClose: return length != 1
    default: return false
    }
  }
}
