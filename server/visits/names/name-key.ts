/**
 * The key of a name in memory, in the database and in notifications: `menu` on the own host, `5/menu` on the domain 5. No name has a
 * slash, so a key of a domain never is the name of another host (docs/decisions/0009).
 */
export interface NameKey {
  /** '' or `5/`. */
  prefix: string
  /** As visitors see it. */
  name: string
}

export function readNameKey(key: string): NameKey {
  const end = key.indexOf('/') + 1
  return { prefix: key.slice(0, end), name: key.slice(end) }
}
