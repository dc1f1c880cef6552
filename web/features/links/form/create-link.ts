import { planOf } from '#domain/plans.ts'
import { namedOn } from '#domain/links/link-address.ts'
import { type LimitReached, limitReachedNotice } from '#domain/texts/plan-texts.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import type { OptionColumns } from '../change-link.ts'
import type { LinkRow } from '#web/api/database.ts'
import { refusalNotice, type TableError } from '#web/api/refusal-notice.ts'

export type CreateResult =
  | { readonly ok: true; readonly link: LinkRow }
  /** `isSettled`: no link was made, for certain. Otherwise the answer may have been lost. */
  | {
      readonly ok: false
      readonly notice: Notice
      readonly field?: 'code'
      /** The refusal of the row, which may be about another field. */
      readonly error?: TableError
      readonly isSettled: boolean
    }

export interface NewLink {
  userId: string
  url: string
  /** Null lets the database make a random code. */
  customCode: string | null
  /** The host, '' for the server's own; undefined leaves it to the server. */
  domain?: string | undefined
  /** The popup that visitors see first, if any. */
  popupId?: string | null
  /** Columns of its options; undefined for none. */
  options?: OptionColumns | undefined
  /** See {@link useAttemptKey}. */
  attempt: { key: string; isRetry: boolean }
}

/**
 * The calls of the shortener in their order: limits, uniqueness, insert, usage. A retry begins with the insert: after a
 * lost answer the first two would find the link that was made.
 */
export async function createLink({
  userId,
  url,
  customCode,
  domain,
  popupId = null,
  options,
  attempt,
}: NewLink): Promise<CreateResult> {
  const isCustom = customCode !== null
  if (!attempt.isRetry) {
    const refusal =
      (await limitRefusal(userId, isCustom)) ?? (await takenRefusal(customCode, domain))
    if (refusal !== null) return refusal
  }

  const { data, error, status } = await tables
    .from('shortened_urls')
    .insert({
      ...(isCustom ? { short_code: customCode } : {}),
      ...(domain === undefined ? {} : { domain }),
      original_url: url,
      user_id: userId,
      ...(popupId === null ? {} : { show_popup: true, popup_id: popupId }),
      ...options,
    })
    .setHeader('Idempotency-Key', attempt.key)
    .select('*')
    .single()
  if (error !== null)
    return { ...insertRefusal(error), error, isSettled: status >= 400 && status < 500 }

  // The database has charged the link already; this only asks it to recount, so a failure costs nothing.
  await tables.rpc('increment_url_usage', { _user_id: userId, _is_custom: isCustom })
  return { ok: true, link: data }
}

async function limitRefusal(userId: string, isCustom: boolean): Promise<CreateResult | null> {
  const { data, error } = await tables.rpc('can_create_url', {
    _user_id: userId,
    _is_custom: isCustom,
  })
  if (error !== null) return { ok: false, notice: notices.createFailed, isSettled: true }
  if (data.canCreate) return null
  return { ok: false, notice: limitReachedNotice(data), isSettled: true }
}

async function takenRefusal(customCode: string | null, domain = ''): Promise<CreateResult | null> {
  if (customCode === null) return null
  const { data, error } = await tables
    .from('shortened_urls')
    .select('id')
    .eq('short_code', namedOn({ name: customCode, domain: domain === '' ? null : domain }))
    .maybeSingle()
  if (error !== null) return { ok: false, notice: notices.createFailed, isSettled: true }
  if (data === null) return null
  return { ok: false, notice: notices.customCodeTaken, field: 'code', isSettled: true }
}

// Another request was quicker between the checks and the insert: the database has the last word.
function insertRefusal(error: TableError): { ok: false; notice: Notice; field?: 'code' } {
  if (error.code === '23505') return { ok: false, notice: notices.customCodeTaken, field: 'code' }
  const limit = error.code === 'P0001' ? readLimit(error.details) : null
  if (limit !== null) return { ok: false, notice: limitReachedNotice(limit) }
  return { ok: false, notice: refusalNotice(error) ?? notices.createFailed }
}

export function readLimit(details: string | null): LimitReached | null {
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
