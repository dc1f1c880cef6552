import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import type { PersonExport } from '../../tokens/person.ts'

/** When a person made archives, without their contents: those are the rest of the export. */
export function exportOfArchives(database: Database): PersonExport {
  return {
    async facts({ id }) {
      const [facts] = await queryAs(
        database,
        { role: 'hoplet_worker', readOnly: true },
        `select coalesce(jsonb_agg(jsonb_build_object('state', state, 'bytes', bytes, 'notice', notice, 'created_at', created_at,
            'made_at', made_at, 'expires_at', expires_at) order by created_at), '[]') as archives
          from app.archives where user_id = $1`,
        [id],
      )
      return facts ?? {}
    },
  }
}
