import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Sending

/// Disables one rule without a change of the shipped code: messages that the rule needs are altered or not sent. The rules `gate`,
/// `hearing` and `failover` are disabled by settings of the peers instead (``VirtualWorld``).
final class RuleMutation {
  /// The rule that is disabled; nil if all rules are in force.
  let rule: EnsembleRule?
  /// Returns the claim with which the peer at a host is master; nil if this peer is not master. Of two claims, the one with the higher
  /// term wins. If the terms are equal, the lower identity wins.
  var mastery: (Int) -> Claim? = { _ in nil }

  /// The number of forwarded presences so far.
  private var forwardedCount: UInt64 = 0

  init(_ rule: EnsembleRule?) { self.rule = rule }

  /// Returns the commands that replace `command` of `peer`. For the rules `tie` and `heal`, a System Exclusive message becomes
  /// one message for each permitted receiver. Receivers are removed here, before a packet is encoded, so that sequence numbers and
  /// journals have no gaps.
  func mutate(_ command: StreamCommand, from peer: VirtualPeer) -> [StreamCommand] {
    guard let rule else { return [command] }
    switch (rule, command) {
    case (.channel, .exclusive(let data, let stream, let isJournalled)),
      (.activity, .exclusive(let data, let stream, let isJournalled)),
      (.rhythm, .exclusive(let data, let stream, let isJournalled)),
      (.score, .exclusive(let data, let stream, let isJournalled)):
      return [.exclusive(alter(data), to: stream, isJournalled: isJournalled)]
    case (.tie, .exclusive(let data, let stream, let isJournalled)),
      (.heal, .exclusive(let data, let stream, let isJournalled)):
      // A message without a stream goes to all Tutti peers.
      let receivers = peer.core.roster.sessions.filter { session in
        (stream.map { $0 == session.stream } ?? (peer.core.roster[session.id]?.identity != nil))
          && admits(from: peer.host, to: session.info.data.host)
      }
      return receivers.sorted { $0.stream.slot < $1.stream.slot }.map {
        .exclusive(data, to: $0.stream, isJournalled: isJournalled)
      }
    case (.activity, .message(let message)): return isOwnActivity(message.message) ? [] : [command]
    case (.introductions, .exclusive(let data, _, _)):
      return Introduction(systemExclusive: data.array) == nil ? [command] : []
    case (.numbers, .exclusive(let data, let stream, let isJournalled)):
      return [.exclusive(renumber(data), to: stream, isJournalled: isJournalled)]
    default: return [command]
    }
  }

  /// If `data` is a presence (the message in which a peer reports its state), or, for the rules `rhythm` and `score`, a timeline message, returns it
  /// without the value that the rule needs. Returns any other data unchanged.
  private func alter(_ data: SystemExclusiveData) -> SystemExclusiveData {
    if rule == .rhythm {
      guard var message = TimelineMessage(systemExclusive: data.array) else { return data }
      // Followers learn of the change only from the first message after its tick.
      message.rhythm = ChangingValue(message.rhythm.value)
      return SystemExclusiveData(message.systemExclusive) ?? data
    }
    if rule == .score {
      guard var message = TimelineMessage(systemExclusive: data.array) else { return data }
      message.score = ChangingValue(message.score.value)
      return SystemExclusiveData(message.systemExclusive) ?? data
    }
    guard var presence = Presence(systemExclusive: data.array) else { return data }
    if rule == .channel { presence.channel = nil } else { presence.activity = 0 }
    return SystemExclusiveData(presence.systemExclusive) ?? data
  }

  /// If `data` is a forwarded presence, gives it a new number, as if the forwarding peer had sent a presence of its own.
  private func renumber(_ data: SystemExclusiveData) -> SystemExclusiveData {
    guard var relayed = RelayedPresence(systemExclusive: data.array) else { return data }
    forwardedCount += 1
    relayed.presence.number = 1 << 62 | forwardedCount
    return SystemExclusiveData(relayed.systemExclusive) ?? data
  }

  /// Whether a System Exclusive message may go from one host to another. If the rule is `tie`, no such message is sent between two
  /// masters with equal terms. If the rule is `heal`, none is sent between two masters with different terms. Neither master then
  /// learns of the claim of the other.
  private func admits(from host: Int, to other: Int) -> Bool {
    guard let a = mastery(host), let b = mastery(other) else { return true }
    return rule == .tie ? a.term != b.term : a.term == b.term
  }

  /// Whether `message` reports the activity of its sender: Expression on channel 1.
  private func isOwnActivity(_ message: Message) -> Bool {
    guard case .controlChange(let channel, 11, _) = message else { return false }
    return channel.wire == 0
  }
}
