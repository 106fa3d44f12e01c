// Turning by halves. The stand has one or two places. Each shows a piece: some successive systems. While a piece is played, the other place
// shows the piece that is played next. So the music turns itself, nobody waits for it, and every system stays where it is while it is read.

/** Which piece each place of the stand shows. */
export class PageTurns {
  /** The index of the piece in each place; undefined for an empty one. */
  shown
  /** The place of the piece that is read. */
  place = 0
  /** Whether the player has turned, so that the stand does not follow the music. */
  isManual = false
  #pieces
  /** The piece that is played. */
  #played

  /** @param pieces for each piece, the set of the written bars in it. @param places the number of places, 1 or 2. */
  constructor(pieces, places) {
    this.#pieces = pieces
    this.shown = Array.from({ length: places }, (_, place) => (place < pieces.length ? place : undefined))
  }

  /** The index of the piece with a written bar; undefined if there is none. */
  pieceOf(bar) {
    const piece = this.#pieces.findIndex((bars) => bars.has(bar))
    return piece < 0 ? undefined : piece
  }

  /**
   * Follows the music.
   *
   * @param bar the written bar that is played. @param next returns the first bar after it that satisfies a condition; undefined if there is
   * none.
   */
  follow(bar, next) {
    const piece = this.pieceOf(bar)
    if (piece === undefined) return
    // When the music reaches a piece that the player has turned to, the stand follows again.
    const hasReached = this.#played !== undefined && piece !== this.#played && this.shown.includes(piece)
    if (hasReached) this.isManual = false
    this.#played = piece
    if (this.isManual) return
    const place = this.shown.indexOf(piece)
    this.place = Math.max(place, 0)
    if (place < 0) this.shown[0] = piece
    if (this.shown.length < 2) return
    const coming = next((other) => this.pieceOf(other) !== piece)
    const following = coming === undefined ? undefined : this.pieceOf(coming)
    if (following !== undefined) this.shown[1 - this.place] = following
    // After a jump, the other place may show a piece that comes before this one.
    else if (place < 0) this.shown[1] = piece + 1 < this.#pieces.length ? piece + 1 : undefined
  }

  /** Turns by one piece: 1 forwards, -1 backwards. Returns whether there is one. */
  turn(step) {
    const piece = (this.shown[this.place] ?? 0) + step
    if (piece < 0 || piece >= this.#pieces.length) return false
    this.isManual = true
    this.place = (this.place + 1) % this.shown.length
    this.shown[this.place] = piece
    if (this.shown.length > 1) this.shown[1 - this.place] = piece + 1 < this.#pieces.length ? piece + 1 : undefined
    return true
  }

  /** Shows the piece with a written bar, and the one after it. @param isManual whether the player has turned to this bar. */
  show(bar, isManual = false) {
    const piece = this.pieceOf(bar)
    if (piece === undefined) return
    this.isManual = isManual
    this.#played = undefined
    this.place = 0
    this.shown = this.shown.map((_, place) => (piece + place < this.#pieces.length ? piece + place : undefined))
  }

  /** Follows the music again. */
  release() {
    this.isManual = false
  }
}
