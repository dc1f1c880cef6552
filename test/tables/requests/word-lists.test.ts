import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { linkMoveStates } from '#domain/links/link-moves.ts'
import { spaceRoles } from '#domain/access/space-roles.ts'
import { bioEntryKinds } from '#domain/bio/bio-form.ts'
import { looks } from '#domain/bio/looks.ts'
import { plans } from '#domain/plans.ts'
import { fontStyles, popupPositions, popupSizes, shadowStyles } from '#domain/popups/popup-form.ts'
import { reportReasons } from '#domain/forms/report-form.ts'
import { ruleFacts } from '#domain/visits/condition-values.ts'
import {
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSources,
  ruleSystems,
} from '#domain/visits/rule-values.ts'
import {
  webhookDeliveryStates,
  webhookDisabledReasons,
  webhookProviderNames,
  webhookProviders,
} from '#domain/webhooks.ts'
import { destinationFindings } from '#domain/links/destination-findings.ts'
import { archiveStates } from '#domain/transfer/archive-shapes.ts'
import {
  importStates,
  rowChoices,
  rowOutcomes,
  rowResults,
} from '#domain/transfer/import-shapes.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

// Each list of words in a CHECK is a list of domain/, from which forms, OpenAPI and docs derive theirs, or is never seen
// outside of the server.

const values = (options: readonly { value: string }[]) => options.map(({ value }) => value)

const shared: Record<string, readonly string[]> = {
  'abuse_reports.reason': reportReasons,
  'archives.state': archiveStates,
  'billing_customers.plan': plans,
  'bio_links.kind': bioEntryKinds,
  'bio_pages.look': looks.map(({ id }) => id),
  'destination_checks.finding': destinationFindings,
  'import_rows.choice': rowChoices,
  'import_rows.outcome': rowOutcomes,
  'import_rows.result': rowResults,
  'imports.state': importStates,
  'invitations.role': spaceRoles,
  'link_moves.state': linkMoveStates,
  'members.role': spaceRoles,
  'popups.font_style': values(fontStyles),
  'popups.position': values(popupPositions),
  'popups.shadow_style': values(shadowStyles),
  'popups.size_preset': values(popupSizes),
  'user_plans.plan_type': plans,
  'webhook_events.state': webhookDeliveryStates,
  'webhooks.disabled_reason': webhookDisabledReasons,
  'webhooks.provider': webhookProviderNames,
}

/** Words of the server alone, words of a protocol, or letters for stored words. */
const internal = new Set(
  `abuse_reports.state abuse_reports.target_kind app_changes.action app_changes.kind
  billing_customers.provider billing_customers.voided_plan billing_events.result billing_events.source
  blocks.kind click_events.source click_incidents.kind click_outbox.kind click_rollups.grain
  click_scopes.kind click_store.state commissions.kind commissions.status factors.factor_type
  factors.status flow_states.code_challenge_method names.kind
  oauth_authorizations.code_challenge_method oauth_authorizations.status oauth_clients.registration
  oauth_clients.token_endpoint_auth_method one_time_tokens.code_challenge_method one_time_tokens.kind
  play_money_pages.kind play_money_pages.status popup_events.action popup_events.verdict sessions.aal
  user_roles.role users.kind`.split(/\s+/),
)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function wordLists(): Promise<Map<string, string[]>> {
  const rows = await database.sql<{ column: string; text: string }>(`
    select c.relname || '.' || a.attname as column, pg_get_constraintdef(k.oid) as text
    from pg_constraint k join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and k.conkey = array[a.attnum]
    where k.contype = 'c' and k.connamespace in ('app'::regnamespace, 'auth'::regnamespace) and not c.relispartition`)
  return new Map(
    rows.flatMap(({ column, text }) => {
      const [, list] = /^CHECK \(\("?\w+"? = ANY \(ARRAY\[(.*)\]\)\)\)$/.exec(text) ?? []
      const words = [...(list ?? '').matchAll(/'([^']*)'/g)].map(([, word = '']) => word)
      return words.length > 0 ? [[column, words]] : []
    }),
  )
}

it('each list of words in the schema is that of domain/, or the server alone uses it', async () => {
  const found = await wordLists()
  for (const [column, words] of Object.entries(shared))
    expect(found.get(column)?.toSorted(), column).toEqual(words.toSorted())
  const others = [...found.keys()].filter((column) => !(column in shared))
  expect(others.toSorted()).toEqual([...internal].toSorted())
})

it('the tables of the documentation name each fact of rules with its values, and each email provider', () => {
  const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8')
  const links = page('links')
  const [, table = ''] = links.split('| `fact` |')
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n')
  const rowOf = (fact: string) => rows.find((row) => row.split(' | ')[0]?.includes(`\`${fact}\``))
  expect(ruleFacts.filter((fact) => rowOf(fact) === undefined)).toEqual([])
  const values = {
    system: ruleSystems,
    device: ruleDevices,
    browser: ruleBrowsers,
    in_app: ruleApps,
    source: ruleSources,
  }
  for (const [fact, words] of Object.entries(values))
    expect(
      Object.keys(words).filter((word) => !rowOf(fact)?.includes(`\`${word}\``)),
      fact,
    ).toEqual([])
  const providers = Object.values(webhookProviders)
  expect(providers.filter((name) => !page('audience').includes(`\n| ${name} |`))).toEqual([])
  // Control: a word that is in no row is missed.
  expect(rowOf('no_fact')).toBeUndefined()
})
