// The beats of a bar: how the steps of a bar belong together.
//
// A beat has several units, such as eighth notes in 7/8. The patch contains the lengths of its beats in units.

/** The groups by the patch, so that they are not computed in each frame. */
const known = new WeakMap()

/** The lengths of the beats of a patch in steps. A whole note has 16 steps. */
export function groupsOf(patch) {
  if (!known.has(patch)) {
    known.set(patch, patch.groups.map((units) => (units * 16) / patch.unit))
  }
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
