import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { PersonExport } from '../tokens/person.ts'

/** A person's webhooks, without the secrets that sign. */
export function exportOfWebhooks(database: Database): PersonExport {
  return {
    async facts({ id }) {
      const [facts] = await queryAs(
        database,
        { role: 'hoplet_worker', readOnly: true },
        `select coalesce(jsonb_agg(jsonb_build_object('url', url, 'description', description, 'events', events, 'provider', provider, 'list', list, 'is_enabled', is_enabled,
            'disabled_reason', disabled_reason, 'created_at', created_at) order by created_at), '[]') as webhooks
          from app.webhooks where user_id = $1`,
        [id],
      )
      return facts ?? {}
    },
  }
}
