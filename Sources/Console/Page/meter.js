// The beats of a bar: how the steps of a bar belong together.
//
// A beat has several units, such as eighth notes in 7/8. The usual grouping follows from the numbers of the meter: 6/8, 9/8 and 12/8 have
// beats of three eighth notes, 7/8 has 2 + 2 + 3, and 5/8 has 3 + 2. In any other meter, each unit is a beat.

/** The groups by the patch, so that they are not computed in each frame. */
const known = new WeakMap()

function unitsOf({ beats, unit }) {
  if (unit === 8) {
    if (beats === 5) return [3, 2]
    if (beats === 7) return [2, 2, 3]
    if (beats > 3 && beats % 3 === 0) return Array(beats / 3).fill(3)
  }
  return Array(beats).fill(1)
}

/** The lengths of the beats of a patch in steps. A whole note has 16 steps. */
export function groupsOf(patch) {
  if (!known.has(patch)) known.set(patch, unitsOf(patch).map((units) => (units * 16) / patch.unit))
  return known.get(patch)
}

/** The beat at a place of the bar: its number, its first step, and its length in steps. */
export function beatAt(groups, step) {
  let from = 0
  for (const [index, length] of groups.entries()) {
    if (step < from + length || index === groups.length - 1) return { index, from, length }
    from += length
  }
  return { index: 0, from: 0, length: 1 }
}
