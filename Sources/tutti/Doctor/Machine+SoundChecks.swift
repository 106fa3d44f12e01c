extension Machine {
  /// The group whose members may use the devices in /dev/snd.
  private static let group = "audio"

  /// The remedy for a user who may not use the sound cards: to join the group, or a new login if the user is in it.
  private var groupRemedy: Check.Remedy {
    if user.listedGroups.contains(Self.group) { return Check.Remedy(advice: "Log out and log in again.") }
    return Check.Remedy(
      commands: [user.asRoot("usermod -aG \(Self.group) \(user.name)")], advice: "Then log out and log in again.")
  }

  var soundFolderCheck: Check {
    let (id, name) = ("sound_devices", "Sound devices (/dev/snd)")
    let why = "Programs play and record through the devices in this folder."
    guard hasSoundFolder else {
      // A sound server on another machine can play without a card of this machine.
      return Check(
        id, name, defaultCard == .opened ? .note : .fault, "missing, so the kernel knows no sound card", why: why,
        remedy: Check.Remedy(
          advice: "Connect a sound card and switch it on. Start a container with `--device /dev/snd`."))
    }
    guard !isSoundDenied else {
      return Check(id, name, .fault, "no permission to use them", why: why, remedy: groupRemedy)
    }
    return Check(id, name, .ok, "there, and permitted", why: why)
  }

  var cardCheck: Check {
    let (id, name) = ("sound_cards", "Sound cards")
    let why = "Without a usable sound card, you do not hear your peer."
    let others = cards.isEmpty ? "" : "; others: \(cards.joined(separator: ", "))"
    switch defaultCard {
    case .opened: return Check(id, name, .ok, "the default device opens\(others)", why: why)
    case .silent:
      return Check(
        id, name, .fault, "the default device does not answer\(others)", why: why,
        remedy: Check.Remedy(
          commands: ["systemctl --user restart pipewire wireplumber"], advice: "Or restart the sound server in use."))
    case .failed(let reason, let remedy):
      return Check(
        id, name, .fault, "the default device cannot be used (\(reason))\(others)", why: why,
        remedy: Check.Remedy(advice: remedy.asSentence))
    }
  }

  var audioGroupCheck: Check {
    let (id, name) = ("audio_group", "Group \(Self.group)")
    let why = "Members of this group may use sound cards and MIDI ports."
    if user.isRoot { return Check(id, name, .ok, "not needed by root", why: why) }
    if user.loginGroups.contains(Self.group) { return Check(id, name, .ok, "\(user.name) is a member", why: why) }
    // The desktop gives the user in front of the machine access without the group.
    if hasSoundFolder, !isSoundDenied {
      return Check(id, name, .ok, "\(user.name) is no member, but this login may use the cards", why: why)
    }
    let finding =
      user.listedGroups.contains(Self.group)
      ? "\(user.name) is a member, but not yet in this login" : "\(user.name) is no member"
    return Check(id, name, isSoundDenied ? .fault : .note, finding, why: why, remedy: groupRemedy)
  }

  var soundFontCheck: Check {
    let (id, name) = ("soundfont", "SoundFont")
    let why = "This file contains the sounds of the drums and instruments."
    guard let soundFontFault else { return Check(id, name, .ok, soundFont, why: why) }
    return Check(
      id, name, .fault, "\(soundFont): \(soundFontFault)", why: why,
      remedy: Check.Remedy(
        commands: [user.asRoot("apt-get install timgm6mb-soundfont")],
        advice: "Or give the peer another SoundFont with `--soundfont FILE`."))
  }
}
