// Who leads: the player whose peer is the master, and whether this page may lead.

/** The identity of the peer that is the master; undefined while there is none. */
export function masterOf({ identity, role, members }) {
  return role === "master" ? identity : members.find((member) => member.role === "master")?.identity
}

/** The player that leads; undefined while nobody leads. */
export function leaderOf({ ensemble }) {
  if (!ensemble) return undefined
  const master = masterOf(ensemble)
  return ensemble.players.find(({ identity }) => identity === master)
}

/**
 * What this page can do with the rhythm: `leads` if its peer is the master, `start` if it can start a rhythm, `follows` if somebody or
 * something else controls the rhythm, `none` if this page may never lead or has no connection.
 */
export function leadOf({ connection, state: { ensemble } }) {
  if (!ensemble || connection.state !== "open" || connection.access !== "lead") return "none"
  if (ensemble.role === "master") return "leads"
  return ensemble.obstacle ? "follows" : "start"
}
