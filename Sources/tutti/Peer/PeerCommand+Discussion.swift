extension PeerCommand {
  /// The part of the help between the abstract and the options.
  static let discussion = """
    KEYS
      space     if no rhythm plays: start it and become the master; on the
                master: stop it
      n         count in for one bar, then start the rhythm
      c         continue at the position where the rhythm stopped
      < >       move the position for the key c back or forward by one bar
      + -       increase or decrease the tempo by 1 BPM
      b         tap quarter notes, at least three, to set the tempo
      0 ... 9   set your activity, from 0 to 127: how dense the rhythm should be
      p P       select the next rhythm of `tutti patch list`, or the one before;
                while a rhythm plays, it changes at the next bar, or one
                bar later if the other peers do not have it yet
      i         choose the next instrument of `tutti patch list`
      x         strike the instrument
      [ ]       decrease or increase the control `tilt forward` of the
                instrument
      f         play the fill of the rhythm in the next bar, at all Tutti peers
      s         quiet: the rhythm and all players stop sounding at all Tutti
                peers, until you press s again or the rhythm stops; the beat
                goes on
      h         offer the role of master to all other peers
      t         take the role of master that was offered in the last 30 s
      tab       send your notes only to the next peer; after the last peer, to
                all
      w         list the connected peers with their channels and weights
      :         enter a command; tab completes it, the arrow keys bring back
                earlier commands, and Esc leaves it
      ?         show the keys and the commands
      q         leave

    While a rhythm plays, only the master can stop it, change its tempo and its parts, select another rhythm \
    (exceptions: see RHYTHM), mute players, and offer the role of master. On the other peers, these keys and \
    commands only print a message.

    The key w shows two weights for each peer: from the peer to you, and from you to the peer. A weight, 0...100, \
    shows how much one peer can influence the other. There are four kinds of message: rhythm, notes, modification and \
    activity. Each kind that is sent in this direction, and that the receiver accepts (see --gate), adds 25. Notes and \
    modification go in all directions. While a rhythm plays, rhythm goes only from the master to the followers, and \
    activity only between the master and the followers. If all gates are open, the weight is then 100 from the master, \
    75 to the master, and 50 between followers. While no rhythm plays, rhythm also goes in all directions and activity \
    has no effect: the weight is 75.

    COMMANDS
    On a terminal, type a colon before a command. If standard input is not a terminal, each line is a command without \
    a colon. PEER is the name or the identity of a Tutti peer. The peer must be connected, except for gate, led-by and \
    hear. \
    The identity, 16 hexadecimal digits, is printed by --json and by `tutti ports --json`.

      start, stop, continue       start, stop or continue the rhythm
      tempo BPM [over BEATS]      set the tempo, 20...999, at once or over BEATS
                                  quarter notes
      count-in [BARS]             start the rhythm after 1 to 4 bars of clicks
                                  (default: 1)
      activity A                  set your activity at rest, 0...127; notes add
                                  to it while you play them
      total-activity METHOD       combine the activities of all players: sum,
                                  mean or maximum
      adopt DEVICE[=NAME]         let a MIDI device play as a player of its own,
                                  see --player
      patch [NAME]                play another rhythm from the next bar, like the
                                  key p; without NAME, choose one from a list
      instrument NAME|none        choose an instrument; none: your notes are
                                  unchanged
      save-patch NAME             save the current rhythm as NAME.yaml in
                                  ~/.config/tutti/patches
      score SCORE|off             play a score, or none, from the next start or bar
      bar BAR                     start at this bar; on the master, go to it at
                                  the next bar line
      loop BAR BAR, loop off      repeat these bars, or go on after them
      vamp, vamp off              repeat the bar that plays, or go on
      ending NUMBER               take this ending of the present repeat
      tempo PERCENT%              set the tempo of the score, 10%...400% of the
                                  written tempo
      with-rhythm, with-rhythm off
                                  let the rhythm play beside the score, or not
      score-part PART LEVEL       set the level of a part of the score at this peer
                                  only: 0...100, on, off or only
      part PART PERCENT|on|off    from the next bar: set the level of the drums,
                                  bass, guitar or keys, 0...100, or switch them on
                                  or off
      fill                        play the fill of the rhythm in the next bar
      mute PEER, unmute PEER      mute one player: the notes of PEER do not sound
                                  anywhere, or sound again
      quiet, quiet off            quiet for all: the rhythm and all players stop
                                  sounding, or sound again, see the key s
      loudness PERCENT            set the loudness of the rhythm at this peer only,
                                  0...100
      latency MS                  play the rhythm MS milliseconds earlier at this
                                  peer (negative: later), see --latency
      offer [PEER]                offer the role of master to PEER or to all
      ask, ask off                ask the master for its role for 60 s, or stop
                                  asking
      take                        take the offered role of master
      gate RULE                   open or close gates, see --gate
      gates                       list the gates and the peers that may control
                                  the rhythm
      led-by PEER[,PEER]|anyone   let only PEER control the rhythm, see --led-by
      hear PEER|all [PERCENT]     let notes of PEER or of all sound here, see
                                  --hear
      hear none                   let no notes of other Tutti peers sound here
      send-to PEER|all            send your notes to PEER or to all
      note NOTE [VELOCITY]        play a note, 0...127; velocity 1...127
                                  (default: 100)
      release NOTE                end a note, 0...127
      control CONTROLLER VALUE    set a controller of your instrument or, if you
                                  have no instrument, of your sound; both numbers
                                  0...127
      shape PEER CONTROLLER VALUE
                                  set a controller of the instrument or the sound
                                  of PEER; both numbers 0...127
      pitches from PEER|none      let the notes of PEER set the pitches of your
                                  instrument
      phrase record [BARS]        record your notes from the next bar, for BARS
                                  bars (default: 2)
      phrase send PEER            send the recorded phrase to PEER
      phrase play                 repeat the received phrase unchanged, or the
                                  recorded one if no phrase was received
      phrase stop                 end the repetition
      phrase vary                 repeat the next variation of the phrase that
                                  `phrase play` repeats
      calibrate                   let the pages of --http click in turn, to measure
                                  how late they sound, see CALIBRATION
      connect HOST[:PORT]         connect to the machine with this name or address,
                                  and retry until it answers
      peers                       list the peers, like the key w
      help [COMMAND]              show the keys and the commands, or one command
      leave                       leave the other peers and end the program

    RHYTHM
    All peers play the rhythm of the master. Only the master needs its file (a patch): the other peers receive the \
    text as soon as it is chosen. A change of the rhythm takes effect at the next bar, or one bar later if the other \
    peers do not have it yet. A peer without the text is silent until the bar after its arrival. If another peer becomes \
    the master, it continues with this rhythm. You can choose a rhythm if this peer is the master, if no rhythm is \
    playing, with --own-patch, or if this peer cannot play the rhythm of the master. A received rhythm is not stored; \
    save-patch stores it.

    When you edit and save the file of your rhythm, the new version plays from the next bar, unless this peer plays \
    the rhythm of another peer. If the new version has errors, they are printed, and the previous one keeps playing. \
    The tempo stays as it is, because it belongs to the ensemble, not to the file. If you have edited the field `tempo`, \
    the command that sets the new tempo is printed.

    SCORE
    With --score or the command `score`, all peers play a score: each note at its written place, on the timeline of the \
    rhythm, with the tempo, the metres and the repeats of the score. Only the master needs the file. The other peers \
    receive the score as soon as it is chosen, and a peer that joins later plays from the bar after its arrival. The \
    tempo of the master, by the keys + and - or the command `tempo`, is a factor of the written tempo. Bars are given \
    by their printed numbers. With `score-part Violin off`, you play the violin yourself; with `score-part Violin \
    only`, nothing else sounds here. With `--score-to Synth=Violin`, the MIDI device Synth plays the violin. \
    With --with-rhythm, a rhythm with bass, guitar or keys plays the chord symbols of the score.

    INSTRUMENT
    With --instrument, your notes control an instrument. You play them on the port `in` of --midi or with the key x. \
    The instrument plays only notes of its scale. An instrument whose scale is `chord`, such as chord-sax, plays only \
    notes of the present chord if the rhythm has chords. An instrument with a repeating pattern of notes (a figure), \
    such as tilt-harp, plays by itself while a rhythm plays. An instrument without a figure, such as kind-keys, plays \
    one note for each note that you play. kind-keys plays the note of its scale that is nearest to your note. While a \
    rhythm plays, a grid such as sixteenth notes sets the instants of these notes: a note that you play shortly after \
    a grid line sounds at once, any other note on the next grid line.

    Your controls change the notes of an instrument: `tilt forward` is controller 1 (the modulation wheel, or the keys \
    [ and ]), `tilt sideways` is controller 74, and `force` is the velocity of your last note. `tutti patch show` \
    prints what each control changes. The other peers get the notes of the instrument. They do not need its file.

    PLAYING TOGETHER
    Your notes sound on this device, unless you send them to one peer only. The notes of another Tutti peer sound here \
    only if you have chosen this peer with --hear or `hear`, by default with 60 % of their velocity. In the same way, \
    the other players choose whether your notes sound on their devices, even if you send the notes to one peer only. \
    The notes of RTP-MIDI devices without Tutti sound here without --hear, because most such devices have no sound of \
    their own. Notes of other players that do not sound here still reach --record and the port `notes` of --midi.

    With `shape`, you move a control of another player's instrument, as if that player moved it: controller 1 is `tilt \
    forward`, 74 is `tilt sideways`. If that player has no instrument, the controller changes the sound of the \
    player's notes. That player sees who does it, and can close the gate `modification`.

    Each web page and each device of --player is a player like you: it has a name, a sign, a row in each list, and its \
    own activity, and it can be given instead of PEER. It plays on a free MIDI channel, or shares channel 16 if none is \
    free. After a player has played, its activity falls back to the value that the player has set, not to 0.

    On the port `in` of --midi, send your own notes and controllers on channel 1. Controller 11 on channel 1 sets your \
    activity. The key w lists the channels of the other players. A controller such as 1 or 74 on the channel of a \
    player has the same effect as `shape`. Volume, pan, expression and pedals of another player cannot be changed. If \
    you have no instrument, you can play notes on other channels too: a note on the channel of a player goes to that \
    player only, and a note on channel 10 plays a drum.

    With `pitches from PEER`, the notes of PEER do not sound here. They set the pitches of your instrument: each note \
    that you play, also with the key x, and each note of a figure takes its pitch from a note that PEER holds. The \
    digits of a figure (see `tutti patch show --help`) count from this pitch. A pitch outside the range of the \
    instrument is first moved into it by octaves. The instrument then plays the nearest note of its scale or of the \
    present chord. If PEER begins a note and holds it, your next note takes its pitch. Each further note of yours \
    takes the pitch of the next note that PEER holds: first of the oldest one, later of the newest one, then of the \
    oldest one again. While PEER holds no note, the note that PEER ended last sets the pitch.

    A phrase is a melody on the steps (sixteenth notes) of the rhythm. One player records it and sends it to another \
    player, who repeats it in time with the rhythm. Each variation moves the phrase up or down and omits some notes; \
    some variations are reversed. The phrase moves within the scale of the instrument of the player who repeats it. \
    Without an instrument, it moves within the scale that consists of the notes of the phrase in all octaves.

    CALIBRATION
    The loudspeaker of a phone can be late by more than its browser knows. Stop the rhythm, press Join on each page of \
    --http, and enter `calibrate`: this peer and each page click in turn, six seconds for each page. This peer hears \
    the clicks through its microphone, see --microphone. Each page stores how much later than this peer it sounds, and \
    then plays earlier by this time. Hold each phone as close to the microphone as the loudspeaker of this peer is, \
    because sound travels 1 m in 2.9 ms. A peer without a loudspeaker needs --microphone-latency. Without a \
    microphone, use --microphone none and record the room with another device, see `tutti calibrate`.

    MIDI FILE
    With --record the peer writes a Standard MIDI File of format 1 with 3840 ticks per quarter note. The first track \
    has the tempo and the meter, the second one the drum hits (channel 10). If the rhythm has a bass, a guitar or \
    keys, these have tracks on channels 14 to 16. Each player, including you, has a track with its name. Beyond 64 \
    players, all further players share one track, `others`. With more than eleven players, including you, a player can \
    share the channel of the bass, the guitar or the keys.

    Each note is written at the position of the rhythm at which this peer played or received it. The recording does \
    not quantize notes. While no rhythm plays, time advances at the last tempo. In the file, the pause before a rhythm \
    can be longer than it really was, so that the bar lines of the file are those of the rhythm. The difference is \
    less than one bar, or less than two bars if the meter changes there.

    The file is written every few seconds and at the end. After a crash, normally at most the last five seconds are \
    missing. If a write takes longer than 0.15 s, more can be missing. During each write, a file FILE.partial exists \
    beside it for a short time.

    WEB PAGE
    With --http, the peer prints two addresses of its web page: `lead` for players who control the rhythm and the \
    settings of this peer, and `play` for all others. A `lead` page has the rights of this peer: while a rhythm plays, \
    it controls the rhythm only if this peer is the master. The two addresses contain a token, so players need no \
    passkey. With --http-open, the peer prints one address without a token; it has the rights of `lead`. A terminal \
    with colours also shows a QR code for each address that phones can open. An ADDRESS that other machines can reach, \
    such as 0.0.0.0, requires --passkey-file, --passkey or --http-open.

    EXTERNAL CLOCK
    With --clock-from the peer follows the external MIDI clock, including Start, Stop, Continue and Song Position. It \
    becomes the master when the clock has sent Start or Continue and ticks. If a rhythm plays already, the peer first \
    waits until it has ended. Ticks without Start or Continue do not start the rhythm, unless \
    --no-transport is given: the rhythm then plays while ticks arrive. If the \
    option is repeated, the peer follows the first clock that it receives. When that clock becomes silent, the peer \
    follows another one.

    EXAMPLES
      tutti peer
      tutti peer --audio alsa:hw:1,0 --audio wav:me.wav
      tutti peer --name Ada --connect 192.168.1.20:5004
      tutti peer --start --bpm 96 --duration 60 --connect studio.local:5004
      tutti peer --connect 192.168.1.20:5004 --trace ada.trace --json
      tutti peer --instrument tilt-harp --midi
      tutti peer --name Ada --record take.mid
      tutti peer --clock-from "TR-8S"
      tutti peer --clock-from rtp:192.168.1.30:5004
      tutti peer --clock-from "Volca" --no-transport
      tutti peer --midi --clock-always --clock-offset TR-8S=-12
      tutti peer --policy contacts --no-journal "stage box"
      tutti peer --name Ben --hear Ada --hear Cleo=30
      tutti peer --name Ben --led-by Ada --gate "Cleo:notes,modification=closed"
      tutti peer --name Ada --restore
      tutti peer --passkey-file band.txt
      tutti peer --passkey-file band.txt --http 0.0.0.0:8080
    """
}
