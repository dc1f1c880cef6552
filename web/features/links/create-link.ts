import { planOf } from '#domain/plans.ts'
import { limitReachedNotice, notices, type LimitReached, type Notice } from '#domain/texts.ts'
import { tables } from '#web/client.ts'
import { linkColumns, type LinkRow } from './link-row-columns.ts'

export type CreateResult =
  | { readonly ok: true; readonly link: LinkRow }
  | { readonly ok: false; readonly notice: Notice; readonly field?: 'code' }

interface NewLink {
  userId: string
  url: string
  /** Null lets the database make a random code. */
  customCode: string | null
}

/** The calls of specification §4 in their order: limits, uniqueness, insert, usage. */
export async function createLink({ userId, url, customCode }: NewLink): Promise<CreateResult> {
  const isCustom = customCode !== null
  const refusal = (await limitRefusal(userId, isCustom)) ?? (await takenRefusal(customCode))
  if (refusal !== null) return refusal

  const { data, error } = await tables
    .from('shortened_urls')
    .insert({
      ...(isCustom ? { short_code: customCode } : {}),
      original_url: url,
      user_id: userId,
    })
    .select(linkColumns)
    .single()
  if (error !== null) return insertRefusal(error)

  // The database has charged the link already; this only asks it to recount, so a failure costs nothing.
  await tables.rpc('increment_url_usage', { _user_id: userId, _is_custom: isCustom })
  return { ok: true, link: data }
}

async function limitRefusal(userId: string, isCustom: boolean): Promise<CreateResult | null> {
  const { data, error } = await tables.rpc('can_create_url', {
    _user_id: userId,
    _is_custom: isCustom,
  })
  if (error !== null) return { ok: false, notice: notices.createFailed }
  if (data.canCreate) return null
  return { ok: false, notice: limitReachedNotice(data) }
}

async function takenRefusal(customCode: string | null): Promise<CreateResult | null> {
  if (customCode === null) return null
  const { data, error } = await tables
    .from('shortened_urls')
    .select('id')
    .eq('short_code', customCode)
    .maybeSingle()
  if (error !== null) return { ok: false, notice: notices.createFailed }
  return data === null ? null : { ok: false, notice: notices.customCodeTaken, field: 'code' }
}

interface TableError {
  code: string
  message: string
  details: string | null
}

// Reached when somebody else was quicker between the checks and the insert: the database has the last word.
function insertRefusal(error: TableError): CreateResult {
  if (error.code === '23505') {
    return { ok: false, notice: notices.customCodeTaken, field: 'code' }
  }
  const limit = error.code === 'P0001' ? readLimit(error.details) : null
  return { ok: false, notice: limit === null ? notices.createFailed : limitReachedNotice(limit) }
}

function readLimit(details: string | null): LimitReached | null {
  try {
    const raised: unknown = JSON.parse(details ?? '')
    if (typeof raised !== 'object' || raised === null) return null
    const { limit, limitType, plan, kind } = raised as Record<string, unknown>
    if (typeof limit !== 'number') return null
    return {
      limit,
      limitType: limitType === 'daily' ? 'daily' : 'lifetime',
      plan: planOf(plan),
      kind: kind === 'custom' ? 'custom' : 'url',
    }
  } catch {
    return null
  }
}
