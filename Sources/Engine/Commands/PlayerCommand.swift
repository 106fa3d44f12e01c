public import Ensemble
public import MusicalTime
public import PeerProtocol
public import Rhythm

/// A command of the player. Remote peers are given by their name or identity.
public enum PlayerCommand: Hashable, Sendable {
  /// Stops the rhythm if the local peer is the master. Otherwise starts a rhythm with the local peer as the master.
  case startOrStop
  case start, stop
  /// Starts the rhythm after a count-in of a number of bars.
  case countIn(bars: Int)
  /// Starts the rhythm at the position at which it stopped.
  case `continue`
  /// Moves the start position by a number of bars.
  case locate(bars: Int64)
  /// Changes the tempo by a number of beats per minute, which can be negative.
  case tempo(by: Double)
  case setTempo(Tempo)
  /// Changes the tempo gradually over a number of quarter notes.
  case rampTempo(Tempo, beats: Int)
  /// Sets the activity of the player, 0...127: the base value, to which the energy falls back after the player has played.
  case activity(UInt8)
  /// Adopts a MIDI device as a player: `DEVICE` or `DEVICE=NAME`.
  case adopt(String)
  /// A page begins to play, or changes its name, sign or instrument.
  case join(JoiningPlayer)
  /// A page ends playing.
  case part
  /// Sets the strength of the present movement on a page, 0...127.
  case movement(UInt8)
  /// The player with whom a page plays together; nil: none.
  case partner(String?)
  /// Sets how the master combines the activity of all peers.
  case total(TotalActivityRule)
  /// Sets the level of a part of the rhythm in percent, 0...100, and starts the part.
  case level(Part, Int)
  /// Starts (true) or stops (false) a part of the rhythm.
  case plays(Part, Bool)
  /// Mutes (true) or unmutes (false) the player of a peer.
  case mute(String, Bool)
  /// Makes the rhythm and all players quiet (true) or audible again (false). Nil: the opposite of the present state.
  case quiet(Bool?)
  /// Plays the fill of the rhythm in the next bar, at all peers.
  case fill
  /// Sets the loudness of the rhythm at the local peer in percent, 0...100.
  case loudness(Int)
  /// Sets the delay after the sound card, by which the rhythm is played earlier; negative: later.
  case latency(milliseconds: Double)
  /// Offers the role of master to a peer; nil: to all peers.
  case offer(to: String?)
  /// Asks the master to offer its role to the local peer (true), or ends this request (false).
  case ask(Bool)
  /// Accepts the role of master that the master offers.
  case take
  /// Opens or closes gates.
  case gate(GateRule)
  /// Sets the peers that may control the rhythm: the leader and then its deputies; none: any peer may.
  case ledBy([String])
  /// Chooses whose notes sound at the local peer, and how loud.
  case hear(HearingRule)
  /// Sets the receiver of the player's notes; nil: all peers.
  case play(to: String?)
  /// Sends the player's notes to the next peer in session; after the last one, to all peers.
  case playToNext
  /// Plays a key, 0...127. Velocity 0 releases the key. `touchedAt` is when the player of a page touched the key, in CLOCK_MONOTONIC; the
  /// page may have moved the note to the grid of the rhythm.
  case note(UInt8, velocity: UInt8, touchedAt: Instant? = nil)
  /// Plays a Control Change: sets a controller, 0...127, to a value, 0...127.
  case control(UInt8, value: UInt8)
  /// Shapes the instrument of a peer: sets a controller, 0...127, on the channel of that peer to a value, 0...127.
  case shape(String, controller: UInt8, value: UInt8)
  /// Lets the notes of a peer set the pitches of the player's instrument; nil: the player sets them.
  case pitches(from: String?)
  /// Records, sends, repeats or varies a phrase.
  case phrase(PhraseCommand)
  /// Changes the instrument of the player; nil: no instrument, so the notes of the player are not changed. `named` is the name that the
  /// player sees.
  case instrument(Instrument?, named: String)
  /// Plays one action of medium force on the instrument.
  case strike
  /// Changes the value of the control `tilt forward` of the instrument by this difference.
  case tilt(by: Int)
  /// Sets the delay of the slowest web page of this peer: the time from the instant at which the peer sends a change to the instant at
  /// which the change sounds on the page. Zero without pages. The lead time covers this delay.
  case pageDelay(Nanoseconds)
  /// Plays a click for the calibration of a web page's audio output, at an instant of CLOCK_MONOTONIC.
  case click(at: Instant)
  /// Saves the patch that plays as a new file.
  case savePatch(to: String)
  /// Plays another patch, from the next bar on. Not executed while the peer plays the patch of its master.
  case patch(Patch, named: String)
  /// Plays a score from the next start on, or as the master from the next bar line on; nil: no score.
  case score(ChosenScore?)
  /// Lets the rhythm play beside the score (true), or only the score (false).
  case withRhythm(Bool)
  /// Starts at the bar with this printed number, or as the master goes to it at the next bar line.
  case bar(String)
  /// Repeats the bars from one printed number to another.
  case loop(from: String, to: String)
  /// Repeats the bar that plays (true), or ends the repetition of bars (false).
  case vamp(Bool)
  /// Takes the ending with this number.
  case ending(Int)
  /// Sets the tempo of the score in percent of the written tempo.
  case scoreTempo(percent: Double)
  /// Sets the level of the part of the score with this name or number, at the local peer.
  case scorePart(String, ScorePartLevel)
  /// Connects to the service with this name that discovery has found.
  case connect(toHost: String)
  /// Connects to the service with this name, or to the host with this name or address, as the player has typed it.
  case seek(host: String)
  /// Sets the connection policy. Sessions continue.
  case policy(ConnectionPolicy.Kind)
  /// Lists the peers in session with their channels, and with the weights by which the activity of each peer counts at the other.
  case showRoster
  /// Lists the gates of the local peer.
  case showGates
  /// Leaves. If the local peer is the master, it hands the rhythm over to the next peer in the order of succession. Without such a peer, it
  /// stops the rhythm.
  case leave

  /// Whether the command can change the role of the local peer or mute players.
  var controlsRhythm: Bool {
    switch self {
    case .startOrStop, .start, .stop, .countIn, .continue, .mute, .quiet, .offer, .take, .leave: true
    case .ask, .locate, .tempo, .setTempo, .rampTempo, .activity, .adopt, .join, .part, .movement, .partner, .total,
      .level, .plays, .fill, .loudness, .latency, .gate, .ledBy, .hear,
      .play, .playToNext, .note, .control, .shape, .pitches, .phrase, .instrument, .strike, .tilt, .pageDelay, .click,
      .savePatch, .patch, .score, .withRhythm, .bar, .loop, .vamp, .ending, .scoreTempo, .scorePart, .connect, .seek,
      .policy,
      .showRoster, .showGates:
      false
    }
  }
}

/// What a page reports about its player.
public struct JoiningPlayer: Hashable, Sendable {
  /// A clean name of at most 48 octets; nil: that of the sign.
  public var name: String?
  /// The wanted sign; nil: any.
  public var sign: Sign?
  public var instrument: PlayerInstrumentCode
  /// How many times the page has moved to another peer.
  public var moves: UInt32

  public init(
    name: String? = nil, sign: Sign? = nil, instrument: PlayerInstrumentCode = .none, moves: UInt32 = 0
  ) {
    (self.name, self.sign, self.instrument, self.moves) = (name, sign, instrument, moves)
  }
}

/// A command of the player that concerns a phrase: a melody on the steps of the rhythm.
public enum PhraseCommand: Hashable, Sendable {
  /// Records the notes of the player from the next bar on, for a number of bars.
  case record(bars: Int)
  /// Sends the recorded phrase to a peer.
  case send(to: String)
  /// Repeats the phrase that was received last, or the recorded phrase if none was received.
  case play
  /// Ends the repetition.
  case stop
  /// Repeats the next variation of the phrase: the phrase is moved within a scale, thinned and perhaps reversed.
  case vary
}
