import { type CostlyRequest, costlyRules, longestRules, mixedRules } from './rules.ts'
import type { MeasuredServer } from './server.ts'

/** A visit to a link with an option, or with rules. */
export interface CostlyVisit extends CostlyRequest {
  name: string
  path: string
}

interface Link {
  id: string
  short_code: string
}

const destination = 'https://example.com/own'
const longQuery = (n: number) => Array.from({ length: 100 }, (_, i) => `p${i}=${n}`).join('&')
const ownQuery = (escape: string) =>
  Array.from({ length: 100 }, (_, i) => `${escape}${i}=1`).join('&')
const previewer = { headers: () => ({ 'user-agent': 'WhatsApp/2.23.20.0 A' }) }

/** Makes the links, with the most expensive options and rules that they may have. */
export async function makeCostlyLinks(server: MeasuredServer) {
  const { person, ask, database } = server
  const make = async (options: object = {}): Promise<Link> => {
    const row = { user_id: person.id, original_url: destination, ...options }
    const headers = { prefer: 'return=representation' }
    const [link] = await ask<Link[]>('/rest/v1/shortened_urls', row, { headers })
    if (!link) throw new Error('no link was made')
    return link
  }
  const save = async ({ id }: Link, rules: unknown) =>
    void (await ask('/rest/v1/rpc/save_link_rules', { _link: id, _rules: rules, _version: 0 }))
  const [popup] = await ask<{ id: string }[]>(
    '/rest/v1/popups',
    {
      user_id: person.id,
      title: 'Offer',
      description: 'x'.repeat(400),
      cta_text: 'Go',
      cta_url: destination,
    },
    { headers: { prefer: 'return=representation' } },
  )
  const shown = { show_popup: true, popup_id: popup?.id }
  const pathOf = ({ short_code: code }: Link) => `/${code}`

  const visits: CostlyVisit[] = []
  const plain = pathOf(await make())
  for (const each of [...costlyRules, mixedRules]) {
    const link = await make()
    await save(link, each.rules)
    visits.push({ ...each, name: `rules: ${each.name}`, path: pathOf(link) })
  }
  const withPopup = await make(shown)
  await save(withPopup, [
    { when: [{ fact: 'source', is: ['link'] }], to: 'https://example.com/to' },
  ])
  for (const [name, option, sent] of optionsOf(shown)) {
    const { is_disabled: isOff, ...given } = option as { is_disabled?: true }
    const link = await make(given)
    if (isOff)
      await ask(
        `/rest/v1/shortened_urls?id=eq.${link.id}`,
        { is_disabled: true },
        { method: 'PATCH' },
      )
    visits.push({ ...sent, name, path: pathOf(link) })
  }
  visits.push({ name: 'popup, with a rule', path: pathOf(withPopup) })
  visits.push({ name: 'preview page', path: `${plain}+` })

  const old = await make()
  await save(old, [{ when: [{ fact: 'source', is: ['link'] }], to: destination }])
  await database.query('update app.link_rules set rules = $2 where link_id = $1', [
    old.id,
    JSON.stringify(oldRules()),
  ])
  await ask(`/rest/v1/shortened_urls?id=eq.${old.id}`, { title: 'Old' }, { method: 'PATCH' })
  visits.push({
    name: 'rules saved before the bounds: 1,000 conditions, 400 zones',
    path: pathOf(old),
  })
  const reread = await make({ ...shown, max_clicks: 999_999_999 })
  await save(reread, longestRules())
  return { plain, visits, reread: reread.short_code }
}

type NamedOptions = [name: string, options: object, sent?: CostlyRequest]

/** @param shown the columns of a link with a popup */
function optionsOf(shown: object): NamedOptions[] {
  const own = `${destination}?${ownQuery('%70')}`
  const closed = { fallback_url: null, show_preview_page: true }
  return [
    [
      'dates and a maximum of clicks',
      {
        starts_at: '2001-01-01T00:00:00Z',
        ends_at: '2999-01-01T00:00:00Z',
        max_clicks: 999_999_999,
      },
    ],
    ['before its start', { ...closed, starts_at: '2999-01-01T00:00:00Z' }],
    ['after its end', { ...closed, ends_at: '2001-01-01T00:00:00Z' }],
    ['all of the query is forwarded', { forward_query: 'all' }, { query: longQuery }],
    [
      'the same into a long query',
      { original_url: own, forward_query: 'all', forward_overrides: true },
      { query: longQuery },
    ],
    [
      'named parameters of 6 kB',
      { original_url: own, forward_query: 'p1,p2,p3' },
      { query: (n) => `p1=${n}${'&a=1'.repeat(1_500)}` },
    ],
    ['the page that asks for the password', { password: 'x' }],
    [
      'the same with 15 kB of cookies',
      { password: 'x' },
      { headers: (n) => ({ cookie: `a=${n};${' b=c;'.repeat(2_900)}` }) },
    ],
    ['preview for a chat app', { preview_title: 'Title' }, previewer],
    ['popup', shown],
    [
      'popup, with a query that is forwarded',
      { ...shown, forward_query: 'all' },
      { query: (n) => `a=${n}` },
    ],
    ['off', { is_disabled: true }],
  ]
}

/** Rules as they could be saved before all rules of a link had bounds together. */
function oldRules() {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 400)
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  return Array.from({ length: 50 }, (_, rule) => ({
    id: `r${rule}`,
    when: Array.from({ length: 20 }, (__, i) =>
      i === 19
        ? { fact: 'source', is: ['qr'] }
        : i < 8
          ? { fact: 'weekday', is: days, zone: zones[rule * 8 + i] }
          : { fact: 'source', is: ['link'] },
    ),
    to: 'https://example.com/x',
  }))
}
