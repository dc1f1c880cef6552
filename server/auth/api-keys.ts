import * as z from 'zod'
import {
  type ApiKey,
  apiKeyLimits,
  apiKeyScopes,
  scopesOnDomains,
} from '#domain/access/api-keys.ts'
import type { Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'
import { newApiKeyText } from '../tokens/api-key-text.ts'
import { readBody, transaction } from './call.ts'
import { emailApiKeyCreated } from './email-flows/emails.ts'
import { authErrors } from './errors.ts'
import type { OwnedAccount, SignedInCall } from './guards.ts'
import { recordOwnEvent } from './record-event.ts'
import { uuidParameter } from '../http/router.ts'

export const newApiKeyBody = z.object({
  name: z
    .string('Give the key a name')
    .trim()
    .min(1, 'Give the key a name')
    .max(apiKeyLimits.name, `A name can have ${apiKeyLimits.name} characters`)
    .regex(/^\P{Cc}*$/u, 'The name must be one line'),
  scopes: z
    .array(z.enum(apiKeyScopes, `scopes can be ${apiKeyScopes.join(', ')}`), 'scopes is missing')
    .min(1, 'Choose at least one permission')
    .max(100)
    .transform((chosen) => apiKeyScopes.filter((scope) => chosen.includes(scope))),
  /** Hosts of domains of the account; '' is that of the server. */
  domains: z
    .array(z.string().max(253).toLowerCase())
    .min(1, 'Choose at least one domain, or leave domains out')
    .max(apiKeyLimits.domains)
    .transform((hosts) => [...new Set(hosts)])
    .nullable()
    .default(null),
  /** Null for a key that works until it is revoked. */
  expires_in_days: z
    .int('expires_in_days must be a whole number, or null')
    .min(1, 'expires_in_days must be at least 1')
    .max(apiKeyLimits.days, `expires_in_days can be at most ${apiKeyLimits.days}`)
    .nullable(),
})

const columns = `id, name, hint, string_to_array(scope, ' ') as scopes, domains, created_at, expires_at,
  coalesce(expires_at <= now(), false) as is_expired, last_used_at, last_used_country`

type AccountCall = SignedInCall & { account: OwnedAccount }

/** GET /user/api-keys: the account's keys, newest first, without secrets. */
export async function listApiKeys(call: AccountCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query(
      `select ${columns} from auth.api_keys where user_id = $1 order by created_at desc, id`,
      [call.account.id],
    ),
  )
  return Response.json(rows)
}

/** POST /user/api-keys `{name, scopes, expires_in_days}` → the key with `key`, the only time that it is shown. */
export async function createApiKey(call: AccountCall): Promise<Response> {
  const { name, scopes, domains, expires_in_days: days } = await readBody(call, newApiKeyBody)
  const { text, hash, hint } = newApiKeyText()
  const { account, user } = call
  const created = await transaction(call, async (db) => {
    // One after the other, so that two requests at once cannot pass the limit.
    await db.query('select from auth.users where id = $1 for update', [account.id])
    const { count } = await onlyRow<{ count: number }>(
      db,
      'select count(*)::int as count from auth.api_keys where user_id = $1',
      [account.id],
    )
    if (count >= apiKeyLimits.keys) throw authErrors.tooManyApiKeys(apiKeyLimits.keys)
    if (domains) await checkDomains(db, account.id, scopes, domains)
    const key = await onlyRow<ApiKey>(
      db,
      `insert into auth.api_keys (user_id, made_by, name, hash, hint, scope, expires_at, domains)
        values ($1, $7, $2, $3, $4, $5, now() + make_interval(days => $6::int), $8) returning ${columns}`,
      [
        account.id,
        name,
        hash,
        hint,
        scopes.join(' '),
        days,
        account.isSpace ? user.id : null,
        domains,
      ],
    )
    await emailApiKeyCreated(db, user, key)
    return key
  })
  call.deps.mail.wake()
  recordOwnEvent(call, 'api key created', { key_id: created.id, scopes })
  return Response.json({ ...created, key: text }, { status: 201 })
}

/** @throws {AuthError} 400 validation_failed about a scope that such a key cannot have, or a host that is no domain of the account */
async function checkDomains(
  db: Transaction,
  account: string,
  scopes: readonly string[],
  domains: readonly string[],
): Promise<void> {
  if (scopes.some((scope) => !scopesOnDomains.some((each) => each === scope)))
    throw authErrors.apiKeyDomains(`A key of domains can have ${scopesOnDomains.join(', ')}`)
  const { rows } = await db.query<{ host: string }>('select host from auth.domains_of($1)', [
    account,
  ])
  const own = new Set(['', ...rows.map(({ host }) => host)])
  const foreign = domains.find((host) => !own.has(host))
  if (foreign !== undefined)
    throw authErrors.apiKeyDomains(`${foreign} is not a domain of this account`)
}

/** DELETE /user/api-keys/{id}: the key stops working at once, on every server. */
export async function revokeApiKey(call: AccountCall): Promise<Response> {
  const id = uuidParameter(call, 'id', authErrors.noSuchApiKey)
  const { rowCount } = await transaction(call, (db) =>
    db.query('delete from auth.api_keys where id = $1 and user_id = $2', [id, call.account.id]),
  )
  if (rowCount === 0) throw authErrors.noSuchApiKey()
  recordOwnEvent(call, 'api key revoked', { key_id: id })
  return new Response(null, { status: 204 })
}
