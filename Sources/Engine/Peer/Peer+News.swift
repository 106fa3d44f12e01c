import Ensemble
import MusicalTime
import PeerProtocol
import Realtime
import Transports

// What the player is told.
extension Peer {
  func tell(_ news: PeerCoreEvent) {
    let now = MonotonicClock.now
    switch news {
    case .met(let partner): tellOfMeeting("\(partner.info.name ?? "a peer") at \(partner.info.control) joined", at: now)
    case .parted(let partner): tellOfMeeting("\(partner.info.name ?? "a peer") left", at: now)
    case .joined(let partner):
      if partner.identity == nil {
        let isKept = core.clockPeers.contains { $0.address == partner.info.control }
        log.info(
          "\(name(of: partner)) is no Tutti peer: \(isKept ? "its clock is kept" : "it gets each tick at its moment")")
      }
      if let name = awaitedAddressee, let identity = partner.identity,
        name == partner.info.name || name == "\(identity)"
      {
        (awaitedAddressee, core.addressee) = (nil, identity)
      }
      tell(.joined(who(partner)), at: now)
    case .left(let partner): tell(.left(who(partner)), at: now)
    case .refused(let name, let address, let isSought):
      let then = isSought ? ", trying on" : ""
      log.warning("\(name ?? "\(address)"): refused the invitation\(then); let this peer in there")
    case .reflected(let address):
      log.warning("\(address): is this peer itself; leave its own address away from --connect")
    case .isCopy(let partner):
      let line =
        "\(name(of: partner)) at \(partner.info.control): has the identity of this peer, from a copied disk perhaps"
      log.warning("\(line); give one of them another --name")
    case .declined(let name, let address):
      log.notice("\(name ?? "somebody") at \(address) was refused: --policy \(configuration.policy) does not let it in")
    case .unanswered(let address):
      log.warning("\(address): does not answer, trying on; check the address, the port and the firewall there")
    case .outsideClock(let name, let event): tell(event, of: name)
    case .outsideClockIsBack(let name): log.notice("\(name) is back")
    case .outsideClockIsGone(let name):
      if !isLeaving { log.warning("\(name) is gone; it is connected again when it comes back") }
    case .outsideClockIsTutti(let name):
      log.warning("\(name) is a Tutti peer: its rhythm is followed anyway; leave --clock-from away")
    case .strangeClock(let partner):
      log.notice("\(name(of: partner)) sends a MIDI clock; to keep it give rtp:\(partner.info.control) to --clock-from")
    case .role(let role):
      if role != .idle { played = role }
      log.info("\(role == .idle ? "the rhythm stopped" : "\(role)")")
      tell(.role(role), at: now)
      // It has gone over to another: there is nothing to stay for.
      if isLeaving, role != .master { leavesAt = now + .milliseconds(100) }
      // Also when the rhythm became another's that started at the same time.
      if role == .idle, played != .idle, configuration.start, startsAt == nil, configuration.duration != nil {
        leavesAt = leavesAt ?? departure(at: now)
      }
    case .outranked(let identity):
      log.notice("two started at once: \(name(of: identity)) goes first, this peer follows")
    case .handedOver(let identity): log.notice("\(name(of: identity)) has taken the rhythm; this peer follows")
    case .masterLost(let identity):
      log.warning("\(name(of: identity)), the master, is gone; the rhythm ended. Press space to start it again")
    case .doubt(let identity, let warning): log.warning("\(describe(warning, of: name(of: identity)))")
    case .offered(let identity):
      log.notice("\(name(of: identity)) offers the rhythm; press t to take it")
      tell(.offered(by: who(identity)), at: now)
    case .tookOver(let identity):
      log.notice("\(name(of: identity)) is the master no more; this peer goes on with the rhythm")
      tell(.tookOver(from: who(identity)), at: now)
    case .channel(let channel):
      if let channel {
        log.info("this peer plays on MIDI channel \(channel.number)")
      } else {
        log.notice("no MIDI channel is free: the others know this peer by its session alone")
      }
      tell(.channel(channel?.number), at: now)
    }
  }

  /// Tells whoever watches.
  func tell(_ kind: PeerEvent.Kind, at now: Instant) { watch?(PeerEvent(kind: kind, at: now)) }

  /// Says who comes and goes. Anybody on the network may do so a thousand times a second: that is not all said.
  private func tellOfMeeting(_ line: String, at now: Instant) {
    if meetingBudget.admit(at: now) { return log.info("\(line)") }
    if meetingBudget.refused == 1 {
      log.notice("peers come and go faster than can be told: one line a second from now on")
    }
  }

  private func describe(_ warning: PeerWarning, of name: String) -> String {
    switch warning {
    case .clockLies:
      "\(name): stamps that cannot be, as of a clock that jumps or stands still; they are not used, and the rhythm goes on"
    case .clockWasSet:
      "\(name): its clock was set or goes otherwise than before; it has been measured anew, and the rhythm goes on"
    case .clockIsSlewed:
      "\(name): its clock and this one part by more than 200 ppm, as when a system puts its clock right; it is followed"
    case .isUnreadable:
      "\(name): says what cannot be read here, perhaps of a newer version; it is left out, and the rhythm goes on"
    case .isRestless:
      "\(name): changes its MIDI channel all the time; its claims to one are not heeded until it is still for 10 s"
    }
  }

  func name(of refusal: CommandError) -> String {
    guard case .belongsTo(let identity) = refusal else { return refusal.description }
    return "the rhythm belongs to \(name(of: identity)) until that peer stops it"
  }

  func name(of identity: Identity) -> String { core.names[identity] ?? identity.description }

  func who(_ partner: Partner) -> PeerEvent.Who {
    PeerEvent.Who(name: partner.info.name, address: partner.info.control, identity: partner.identity)
  }

  func who(_ identity: Identity) -> PeerEvent.Who {
    if let session = core.sessions[identity], let partner = core.partners[session] { return who(partner) }
    return PeerEvent.Who(name: core.names[identity], identity: identity)
  }

  private func name(of partner: Partner) -> String {
    partner.info.name ?? partner.info.control.description
  }
}
