import { LRUCache } from 'lru-cache'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { startPeriodicJob } from '../primitives/jobs.ts'
import { hashApiKey, isApiKeyText } from './api-key-text.ts'
import { type ApiKeys, type Identity, TokenError } from './tokens.ts'

interface ApiKeysDeps {
  database: Database
  /** Where an address is; `country` is '' when it is not known. */
  placeOf: (address: string) => { country: string }
  log: Logger
}

const recordDelayMs = 2_000
/** More keys than that in one delay are not noted. */
const maxRecorded = 10_000

/** People's API keys (docs/decisions/0066). */
export function createApiKeys({
  database,
  placeOf,
  log,
}: ApiKeysDeps): ApiKeys & { close(): Promise<void> } {
  // Owner and scopes of a key never change, so no entry is ever wrong.
  const known = new LRUCache<string, Identity>({ max: 10_000 })
  const used = new Map<string, string>()
  const storing = startPeriodicJob(log, 'note used API keys', { everyMs: recordDelayMs }, () =>
    storeUses(database, used, placeOf),
  )
  return {
    async verify(text, beforeQuery) {
      if (!isApiKeyText(text)) throw new TokenError('malformed', 'API key is malformed')
      const hash = hashApiKey(text)
      const digest = hash.toString('base64')
      const cached = known.get(digest)
      if (cached) return cached
      beforeQuery?.()
      const identity = await findIdentity(database, hash)
      known.set(digest, identity)
      return identity
    },
    recordUse(id, address) {
      if (used.has(id) || used.size < maxRecorded) used.set(id, address)
    },
    async close() {
      await storing.run()
      await storing.close()
    },
  }
}

/** @throws {TokenError} */
async function findIdentity(database: Database, hash: Buffer): Promise<Identity> {
  const [key] = await queryAs<{
    id: string
    user_id: string
    made_by: string | null
    scope: string
    domains: string[] | null
  }>(
    database,
    { role: 'hoplet_auth', readOnly: true },
    'select id, user_id, made_by, scope, domains from auth.api_keys where hash = $1',
    [hash],
  )
  if (!key) throw new TokenError('claims', 'API key is unknown or was revoked')
  const { id, user_id: account, made_by: maker, scope, domains } = key
  // Like an app, a key has the rights of its scopes and no others (appScopes). That of a space acts with its maker's present role.
  const claims = {
    sub: maker ?? account,
    account,
    role: 'authenticated',
    client_id: id,
    key_id: id,
    scope,
    ...(domains && { domains }),
  }
  return { role: 'authenticated', claims }
}

async function storeUses(
  database: Database,
  used: Map<string, string>,
  placeOf: ApiKeysDeps['placeOf'],
): Promise<void> {
  if (used.size === 0) return
  const uses = [...used].map(([id, address]) => ({ id, country: placeOf(address).country }))
  used.clear()
  await queryAs(
    database,
    { role: 'hoplet_auth' },
    `update auth.api_keys k set last_used_at = now(), last_used_country = nullif(u.country, '')
      from jsonb_to_recordset($1) as u(id uuid, country text)
      where k.id = u.id and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
        and (k.expires_at is null or k.expires_at > now())`,
    [JSON.stringify(uses)],
  )
}
