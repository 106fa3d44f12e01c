import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Transports

// Who is there, and who is meant by a name.
extension Peer {
  /// Everybody in session, those with the lower channels first.
  var company: [CompanyEntry] {
    let entries = core.partners.sorted { $0.key.number < $1.key.number }.map { _, partner in
      CompanyEntry(
        who: who(partner), channel: partner.identity.flatMap { ensemble.channel(of: $0)?.number },
        weights: partner.identity.map { ensemble.weights(of: $0) })
    }
    return entries.sorted { ($0.channel ?? 17) < ($1.channel ?? 17) }
  }

  /// The Tutti peer in session that calls itself `name`, or has it for its identity. Of several of one name the one of the
  /// lowest identity, which is said.
  func peer(called name: String) -> Identity? {
    if let identity = Identity(name), core.sessions[identity] != nil { return identity }
    let named = core.sessions.keys.filter { core.names[$0] == name }.sorted()
    if named.count > 1 {
      log.notice("\(named.count) peers call themselves \(name): \(named[0]) is meant; name another by its identity")
    }
    if named.isEmpty { log.notice("\(name): nobody in session calls itself so; `who` tells who is there") }
    return named.first
  }

  /// Tells the player who is there.
  func showCompany() {
    let company = company
    guard !company.isEmpty else { return log.info("nobody else is in session") }
    for entry in company {
      let name = entry.who.name ?? entry.who.address?.description ?? "a peer"
      guard let weights = entry.weights else {
        log.info("\(name): no Tutti peer")
        continue
      }
      let channel = entry.channel.map { "channel \($0)" } ?? "no channel"
      let outward = weights.outward.map { "\($0)" } ?? "?"
      log.info("\(name), \(channel): weight \(weights.inward) from there, \(outward) to there")
    }
  }

  /// Tells whoever watches of the company, and of the total activity, when these have changed.
  func watchCompany(at now: Instant) {
    guard watch != nil, now >= nextLook else { return }
    nextLook = now + .milliseconds(100)
    let company = company
    if company != toldCompany {
      toldCompany = company
      tell(.company(company), at: now)
    }
    let total = ensemble.totalActivity(at: now)
    if total != toldTotal {
      toldTotal = total
      tell(.total(total), at: now)
    }
  }

  /// To whom the player's notes go.
  var addressee: String { core.addressee.map { name(of: $0) } ?? "all" }

  /// The notes go to the next in session, after the last to all.
  func playToNext() {
    let others = core.sessions.keys.sorted()
    let next = core.addressee.flatMap { others.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    core.addressee = core.addressee != nil && next == others.count || others.isEmpty ? nil : others[next]
    log.info("your notes go to \(addressee)")
  }
}
