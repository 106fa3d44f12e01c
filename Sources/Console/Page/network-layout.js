// The geometry of the picture *Who hears whom*: where the peers, the phones and the arrows are, in units of the picture.

/** The ellipse of the peers: its radii. Its centre is the origin. */
const RADII = [165, 140]
/** The distance of the edge of the picture from the signs. */
const MARGIN = 8
/** The largest radius of the sign of a peer. Many peers have smaller signs. */
const RADIUS = 38
/** The radius of the sign of a phone, its distance from the edge of the sign of its peer, and the angle between two phones of a peer. */
export const PHONE = 16
const [PHONE_DISTANCE, PHONE_ANGLE] = [34, 0.5]
/** The width of an arrow is its weight divided by this number: 8 units for the weight 100. Between smaller signs, arrows are thinner. */
const WEIGHT_PER_UNIT = 12.5
/** The points of an arrow at which the distance of a touch is measured. */
const SAMPLES = 24

const added = ([x, y], [dx, dy], factor = 1) => [x + dx * factor, y + dy * factor]
const distance = ([x, y], [u, v]) => Math.hypot(x - u, y - v)

/** The angles of the nodes. The first one is at the top, the others follow clockwise. */
const angles = (count) => Array.from({ length: count }, (_, index) => -Math.PI / 2 + (index * 2 * Math.PI) / count)

/** The peers on the ellipse: {at, angle, radius}. */
export function nodes(count) {
  const radius = Math.min(RADIUS, 300 / count)
  return angles(count).map((angle) => ({
    at: [RADII[0] * Math.cos(angle), RADII[1] * Math.sin(angle)], angle, radius,
  }))
}

/** The largest number of phones at each of `count` peers. */
export const phoneLimit = (count) => (count <= 6 ? 5 : count <= 10 ? 3 : 1)

/** The places of the phones of a peer: outside of the ellipse, around the direction away from its centre. */
export function phonePlaces({ at, angle, radius }, count) {
  return Array.from({ length: count }, (_, index) => {
    const direction = angle + (index - (count - 1) / 2) * PHONE_ANGLE
    return added(at, [Math.cos(direction), Math.sin(direction)], radius + PHONE_DISTANCE)
  })
}

/** The part of the plane that contains all signs, as {x, y, width, height}. `circles` have a centre `at` and a radius. */
export function bounds(circles) {
  const least = (axis) => Math.min(...circles.map(({ at, radius }) => at[axis] - radius)) - MARGIN
  const greatest = (axis) => Math.max(...circles.map(({ at, radius }) => at[axis] + radius)) + MARGIN
  return { x: least(0), y: least(1), width: greatest(0) - least(0), height: greatest(1) - least(1) }
}

/**
 * The arrow from one node to another: a curve that lies to the right of the straight line, so that the two directions of a pair are seen
 * beside each other. `at` returns the point at a share of its length, `tip` are the corners of its head, `width` is its thickness.
 */
export function arrow(from, to, weight) {
  const length = distance(from.at, to.at)
  const along = [(to.at[0] - from.at[0]) / length, (to.at[1] - from.at[1]) / length]
  const across = [-along[1], along[0]]
  const { radius } = from
  const scale = radius / RADIUS
  const width = (weight / WEIGHT_PER_UNIT) * scale
  const head = 7 * scale + width
  const start = added(added(from.at, along, radius + 6 * scale), across, radius * 0.26)
  const end = added(added(to.at, along, -radius - 4 - head), across, radius * 0.26)
  const bend = added(added(from.at, along, length / 2), across, radius * 0.76)
  const at = (share) => [0, 1].map((axis) => (
    (1 - share) ** 2 * start[axis] + 2 * share * (1 - share) * bend[axis] + share ** 2 * end[axis]))
  const slope = distance(bend, end)
  const forward = [(end[0] - bend[0]) / slope, (end[1] - bend[1]) / slope]
  const side = [-forward[1], forward[0]]
  const tip = [added(end, forward, head), added(end, side, head * 0.7), added(end, side, -head * 0.7)]
  return { start, bend, end, at, tip, width }
}

/** The distance of a point from an arrow. */
export function distanceTo({ at }, point) {
  return Math.min(...Array.from({ length: SAMPLES + 1 }, (_, index) => distance(at(index / SAMPLES), point)))
}

/** The index of the node whose centre is nearest to a point, and the distance: {index, distance}. */
export function nearestNode(placed, point) {
  const distances = placed.map(({ at }) => distance(at, point))
  const least = Math.min(...distances)
  return { index: distances.indexOf(least), distance: least }
}
