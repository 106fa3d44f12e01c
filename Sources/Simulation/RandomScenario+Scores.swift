import Ensemble
import MusicalTime

// The random commands of players that concern scores.
extension RandomScenario {
  /// Executes one random command about scores.
  func executeScoreCommand(in world: VirtualWorld) {
    guard let host = world.master ?? randomHost(in: world), let peer = world.hosts[host].peer else { return }
    let ensemble = peer.core.ensemble
    let bars = ensemble.scoreDigest.flatMap { ensemble.score($0) }?.bars.count ?? 0
    guard bars > 0, random.integer(in: 0...3) > 0 else {
      // Some choices are no score, and some scores play with the rhythm.
      let choice = Int(random.integer(in: 0...Int64(world.pieces.count)))
      let playsRhythm = chance(3)
      return world.choose(score: choice < world.pieces.count ? world.pieces[choice] : nil, playsRhythm, at: host)
    }
    let first = Int(random.integer(in: 0...Int64(bars - 1)))
    let last = min(bars - 1, first + Int(random.integer(in: 0...3)))
    let kind = random.integer(in: 0...5)
    let factor = UInt32(random.integer(in: 500_000...2_000_000))
    try? world.command(host) { core, now throws(CommandError) in
      switch kind {
      case 0: try core.ensemble.go(toBar: first, at: now)
      case 1: try core.ensemble.loop(first..<last + 1, at: now)
      case 2: try core.ensemble.loop(nil, at: now)
      case 3: try core.ensemble.endLoop(at: now)
      case 4: try core.ensemble.takeEnding(2, at: now)
      default: try core.ensemble.change(tempoFactor: factor, at: now)
      }
    }
  }
}
