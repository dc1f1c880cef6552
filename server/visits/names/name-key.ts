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

/** SQL of the name in an SQL expression that is a key, for statements of roles that may not call `app.name_in`. */
export const nameOfKey = (key: string): string => `substr(${key}, strpos(${key}, '/') + 1)`

/** SQL of `host/name`, or of a bare name of the own host, for a row of `api.shortened_urls`. */
export const namedCode = (row: string): string =>
  `concat_ws('/', ${row}.domain, ${nameOfKey(`${row}.short_code`)})`

export function readNameKey(key: string): NameKey {
  const end = key.indexOf('/') + 1
  return { prefix: key.slice(0, end), name: key.slice(end) }
}
