public import MIDI

// The initial instruments of the channels.
extension ChannelSynthesizer {
  /// Returns the initial General MIDI program of `channel`, 0...127; on channel 10 the drum kit.
  ///
  /// Adjacent channels have instruments of different kinds, such as struck, plucked and blown, because peers claim the lowest
  /// free channel and therefore use adjacent channels. All programs are soft enough to sound well together, and their attack takes
  /// less than 40 ms with the SoundFonts TimGM6mb and FluidR3, unlike that of the slow strings and pads of General MIDI.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public static func defaultProgram(of channel: Channel) -> UInt7 {
    switch channel.number {
    case 2: 11  // Vibraphone
    case 3: 24  // Acoustic Guitar (nylon)
    case 4: 12  // Marimba
    case 5: 46  // Orchestral Harp
    case 6: 4  // Electric Piano 1
    case 7: 69  // English Horn
    case 8: 108  // Kalimba
    case 9: 88  // Pad 1 (new age), which has a bell attack
    case 11: 45  // Pizzicato Strings
    case 12: 8  // Celesta
    case 13: 79  // Ocarina
    case 14: 114  // Steel Drums
    case 15: 107  // Koto
    case 16: 20  // Reed Organ
    default: 0  // Channel 10: the standard kit. Channel 1 carries only activity and plays no notes
    }
  }
}
