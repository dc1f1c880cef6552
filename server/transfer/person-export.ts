import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { PersonExport } from '../tokens/person.ts'

/** A person's imports, without their rows: those became links, or are gone after 7 days. */
export function exportOfImports(database: Database): PersonExport {
  return {
    async facts({ id }) {
      const [facts] = await queryAs(
        database,
        { role: 'hoplet_worker', readOnly: true },
        `select coalesce(jsonb_agg(jsonb_build_object('source', source, 'name', name, 'state', state, 'rows', rows,
            'results', results, 'created_at', created_at, 'ended_at', ended_at) order by created_at), '[]') as imports
          from app.imports where user_id = $1`,
        [id],
      )
      return facts ?? {}
    },
  }
}
