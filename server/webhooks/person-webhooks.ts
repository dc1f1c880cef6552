import type { Webhook, WebhookEvent, WebhookProvider } from '#domain/webhooks.ts'
import type { QueryResultRow } from 'pg'
import type { SecretBox } from '../auth/secret-box.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { newWebhookSecret } from './signatures.ts'
import { contextOfWebhookSecret } from './webhook-secrets.ts'

interface PersonWebhooksDeps {
  database: Database
  secretBox: SecretBox
}

export interface WebhookSettings {
  url: string
  description: string
  events: WebhookEvent[]
}

/** A webhook that adds leads to a list: `secret` is the API key. */
export interface ProviderWebhook {
  provider: WebhookProvider
  list: string
  secret: string
}

/** How long the old secret signs beside a new one. */
const rotationHours = 24
/** More are shown as that many. */
const maxCountedWaiting = 1_000

const webhookColumns = `w.id, w.url, w.description, w.events, w.provider, w.list, w.is_enabled, w.disabled_reason, w.disabled_at,
  case when w.paused_until > now() then w.paused_until end as paused_until,
  case when w.previous_until > now() then w.previous_until end as previous_until,
  (select count(*)::int from (select from app.webhook_events e
    where e.webhook_id = w.id and e.state = 'waiting' limit ${maxCountedWaiting}) e) as waiting,
  w.dropped::int, w.dropped_at, w.created_at`

/** Queries of a person's own webhooks. Each query names the owner. */
export function createPersonWebhooks({ database, secretBox }: PersonWebhooksDeps) {
  const ask = <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
    queryAs<Row>(database, { role: 'hoplet_worker' }, text, values)
  const seal = (id: string, secret: string) => secretBox.seal(secret, contextOfWebhookSecret(id))
  const find = async (owner: string, id: string) => {
    const [found] = await ask<Webhook & QueryResultRow>(
      `select ${webhookColumns} from app.webhooks w where w.user_id = $1 and w.id = $2`,
      owner,
      id,
    )
    return found
  }

  return {
    find,
    list: (owner: string) =>
      ask<Webhook & QueryResultRow>(
        `select ${webhookColumns} from app.webhooks w where w.user_id = $1 order by w.created_at, w.id`,
        owner,
      ),
    /** The only time that the secret is shown. @throws a database error with the hint `too_many_rows` */
    async create(owner: string, settings: WebhookSettings, of?: ProviderWebhook) {
      const id = crypto.randomUUID()
      const secret = of?.secret ?? newWebhookSecret()
      await ask(
        `insert into app.webhooks (id, user_id, url, description, events, secret, provider, list)
          values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        id,
        owner,
        settings.url,
        settings.description,
        settings.events,
        seal(id, secret),
        of?.provider ?? null,
        of?.list ?? null,
      )
      return { webhook: await find(owner, id), ...(of === undefined && { secret }) }
    },
    change: (owner: string, id: string, settings: WebhookSettings) =>
      ask(
        `update app.webhooks w set url = $3, description = $4, events = $5 where w.user_id = $1 and w.id = $2 and w.provider is null`,
        owner,
        id,
        settings.url,
        settings.description,
        settings.events,
      ),
    switchOn: (owner: string, id: string) =>
      ask(
        `update app.webhooks w set is_enabled = true, disabled_reason = null, disabled_at = null
          where w.user_id = $1 and w.id = $2 and not w.is_enabled`,
        owner,
        id,
      ),
    switchOff: (owner: string, id: string) =>
      ask(
        `select app.disable_webhook(w.id, 'person'), app.trim_webhook_events(w.id) from app.webhooks w where w.user_id = $1 and w.id = $2`,
        owner,
        id,
      ),
    delete: (owner: string, id: string) =>
      ask(`delete from app.webhooks w where w.user_id = $1 and w.id = $2`, owner, id),
    /** Makes a new secret; the one before it signs as well for a day. @returns undefined when there is no such webhook */
    async rotate(owner: string, id: string): Promise<string | undefined> {
      const secret = newWebhookSecret()
      const rows = await ask(
        `update app.webhooks w set secret = $3, previous_secret = w.secret, previous_until = now() + make_interval(hours => $4)
          where w.user_id = $1 and w.id = $2 and w.provider is null returning w.id`,
        owner,
        id,
        seal(id, secret),
        rotationHours,
      )
      return rows.length > 0 ? secret : undefined
    },
  }
}
