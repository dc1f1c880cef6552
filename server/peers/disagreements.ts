/** Facts that a server publishes to the others on its database. */
export interface Peer {
  /** The name of its machine. */
  host: string
  version: string
  /** The id of the key that signs tokens. */
  keyId: string
  publicUrl: string
  /** Empty for a server of the release before. */
  linksUrl: string
  /** How far its clock is ahead of the database's, in milliseconds; null while unknown. */
  clockAheadMs: number | null
}

export const subjects = ['keys', 'address', 'links', 'version', 'clock'] as const

type Subject = (typeof subjects)[number]

interface Disagreement {
  about: Subject
  host: string
  own: string
  theirs: string
}

/** Limits, sessions and tokens compare times of different servers. */
const maxClockDifferenceMs = 5_000

/** Effects of a disagreement about each subject, for the log and for `npm run doctor`. */
export const consequences: Record<Subject, string> = {
  keys: 'people are signed out at random: set the same JWT_SIGNING_KEY for all servers',
  address: 'links and emails name different addresses: set the same PUBLIC_URL for all servers',
  links: 'short links and QR codes name different hosts: set the same LINKS_URL for all servers',
  version: 'during an upgrade this is expected: complete it',
  clock:
    'limits and sessions end early or late: synchronize the clocks (chrony, systemd-timesyncd)',
}

/** In which of the settings that must be the same `others` differ from `own`. */
export function disagreementsWith(own: Peer, others: readonly Peer[]): Disagreement[] {
  return others.flatMap((other) => {
    const about = (subject: Subject, mine: string, theirs: string): Disagreement[] =>
      mine === theirs ? [] : [{ about: subject, host: other.host, own: mine, theirs }]
    const [ahead, theirs] = [own.clockAheadMs, other.clockAheadMs]
    const clocksDiffer =
      ahead !== null && theirs !== null && Math.abs(ahead - theirs) > maxClockDifferenceMs
    return [
      ...about('keys', own.keyId, other.keyId),
      ...about('address', own.publicUrl, other.publicUrl),
      ...(isAboutLinks(own, other) ? about('links', own.linksUrl, other.linksUrl) : []),
      ...about('version', own.version, other.version),
      ...(clocksDiffer ? about('clock', `${ahead} ms`, `${theirs} ms`) : []),
    ]
  })
}

/** Without LINKS_URL both addresses are the same one. */
function isAboutLinks(own: Peer, other: Peer): boolean {
  return own.publicUrl === other.publicUrl && other.linksUrl !== ''
}
