import { queryOptions } from '@tanstack/react-query'
import type { LinkRules } from '#domain/visits/rules.ts'
import { answerOf, tables } from '#web/api/client.ts'

/** Rules of a link with their version, which changes at each save. */
export interface VersionedRules {
  rules: LinkRules
  version: number
}

export function linkRulesQuery(linkId: string) {
  return queryOptions({
    queryKey: ['link-rules', linkId],
    queryFn: ({ signal }) =>
      answerOf(tables.rpc('link_rules', { _link: linkId }), signal) as Promise<VersionedRules>,
  })
}

export type SavedRules =
  | { readonly ok: true; readonly version: number }
  /** Saved somewhere else meanwhile; `version` is the stored one. */
  | { readonly ok: false; readonly reason: 'stale'; readonly version: number }
  | { readonly ok: false; readonly reason: 'expectation'; readonly details: string }
  | { readonly ok: false; readonly reason: 'refused'; readonly message: string }
  | { readonly ok: false; readonly reason: 'failed' }

interface RulesSave {
  linkId: string
  rules: LinkRules
  version: number
  /** Saves although an expectation is not met then. */
  ignoresExpectations: boolean
}

/** Saves all rules of a link, over the version that was edited. */
export async function saveRules(save: RulesSave): Promise<SavedRules> {
  const { linkId, rules, version, ignoresExpectations } = save
  const request = tables.rpc('save_link_rules', { _link: linkId, _rules: rules, _version: version })
  const { data, error, status } = await (ignoresExpectations
    ? request.setHeader('Prefer', 'expectations=ignore')
    : request)
  if (error === null) return { ok: true, version: data }
  const { hint, details, message } = error
  if (hint === 'stale_version')
    return { ok: false, reason: 'stale', version: storedVersion(details) }
  if (hint === 'expectation_failed') return { ok: false, reason: 'expectation', details }
  if (status < 400 || status >= 500 || message === '') return { ok: false, reason: 'failed' }
  return {
    ok: false,
    reason: 'refused',
    message: typeof details === 'string' && details !== '' ? details : message,
  }
}

function storedVersion(details: string): number {
  const { version } = Object(JSON.parse(details)) as { version?: unknown }
  return Number(version)
}
