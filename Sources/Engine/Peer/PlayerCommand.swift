public import Ensemble
public import MusicalTime

/// What a player asks of the own peer. Other peers are meant by what they call themselves or by their identity.
public enum PlayerCommand: Hashable, Sendable {
  /// Starts the rhythm when nobody plays, stops it when this peer is the master.
  case startOrStop
  case start, stop
  /// Goes on where the rhythm stopped.
  case `continue`
  /// Moves the place where it goes on by so many bars.
  case locate(bars: Int64)
  /// Makes the rhythm faster by so many beats a minute, slower when negative.
  case tempo(by: Double)
  case setTempo(Tempo)
  /// The player's activity, 0...127.
  case activity(UInt8)
  /// What the master makes of everybody's activity.
  case total(ActivityRule)
  /// Offers the rhythm to a peer, nil: to whoever takes it.
  case offer(to: String?)
  /// Takes the rhythm that is offered.
  case take
  /// A rule of the gates, such as `Ben:notes=closed`.
  case gate(String)
  /// This peer alone controls the rhythm; nil: anyone does.
  case ledBy(String?)
  /// To whom the player's notes go, nil: to all.
  case play(to: String?)
  /// To the next of those in session, after the last to all.
  case playToNext
  /// A key of the player's, 0...127; velocity 0 lets it go.
  case note(UInt8, velocity: UInt8)
  /// A controller of the player's, 0...127, and its value.
  case control(UInt8, value: UInt8)
  /// Tells who is in session, on which channel, and with which weights.
  case showCompany
  /// Leaves. Where the rhythm is this peer's it goes over to the next in line, or stops.
  case leave
}
