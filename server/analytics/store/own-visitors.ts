import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'

/** Numbers are given before they are committed, so the last ones are read again. */
const overlap = 1_000
const dayMs = 86_400_000

/** Knows in which browsers people used this server today, as far as they were read. */
export function createOwnVisitors(database: Database) {
  let people = new Map<number, Set<string>>()
  let lastId = 0
  let day = 0
  return {
    /** Reads the new ones. @returns whether a visitor is a browser of this person */
    async read(): Promise<(visitor: number, userId: string) => boolean> {
      const today = Math.floor(Date.now() / dayMs)
      if (today !== day) {
        people = new Map()
        lastId = 0
        day = today
      }
      const rows = await queryAs<{ id: string; visitor: string; user_id: string }>(
        database,
        { role: 'hoplet_visits', readOnly: true },
        'select id, visitor, user_id from app.own_visitors where id > $1 order by id',
        [lastId - overlap],
      )
      for (const { visitor, user_id } of rows) {
        const known = people.get(Number(visitor))
        if (known) known.add(user_id)
        else people.set(Number(visitor), new Set([user_id]))
      }
      lastId = Math.max(lastId, Number(rows.at(-1)?.id ?? 0))
      return (visitor, userId) => people.get(visitor)?.has(userId) === true
    },
  }
}
