import Ensemble
import MIDI
import MusicalTime
import PeerProtocol

/// A rule of the ensemble that a simulation can keep from working, to see that a check notices.
package enum Rule: String, CaseIterable, Sendable {
  /// Of two that start at once one follows the other.
  case tie
  /// Halves of a network that meet again come to one master.
  case heal
  /// No two peers have one channel.
  case channel
  /// What a gate is closed to does not pass.
  case gate
  /// The rhythm outlives its master.
  case failover
  /// The master hears how lively everybody is.
  case activity
}

/// Keeps a rule from working, from outside: the shipped code is as it is, but does not hear or say what the rule needs.
final class RuleMutation {
  let rule: Rule?
  /// The claim by which the peer at a host is master, nil where it is not.
  var mastery: (Int) -> Claim? = { _ in nil }

  init(_ rule: Rule?) { self.rule = rule }

  /// What is sent in the place of a System Exclusive message of Tutti's.
  func alter(_ octets: [UInt8]) -> [UInt8] {
    guard rule == .channel || rule == .activity, var presence = Presence(systemExclusive: octets) else { return octets }
    if rule == .channel { presence.channel = nil } else { presence.activity = 0 }
    return presence.systemExclusive
  }

  /// Whether a System Exclusive message of Tutti's goes from one host to another.
  func admits(from host: Int, to other: Int) -> Bool {
    guard rule == .tie || rule == .heal, let a = mastery(host), let b = mastery(other) else { return true }
    return (a.term == b.term) != (rule == .tie)
  }

  /// Whether a message goes out at all.
  func admits(_ message: Message) -> Bool {
    guard rule == .activity, case .controlChange(let channel, 11, _) = message else { return true }
    return channel.wire != 0
  }
}
