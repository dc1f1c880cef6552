import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { scrape, withAdminPort, type Scraped } from './scrape.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')
const documents = {
  'operating.md': read('operating.md'),
  'operating/alerts.yml': read('operating/alerts.yml'),
  'operating/grafana-dashboard.json': read('operating/grafana-dashboard.json'),
}

let server: TestServer
let metrics: Scraped
beforeAll(async () => {
  server = await startTestServer(withAdminPort)
  metrics = await scrape(server)
})
afterAll(() => server.close())

/** Labels that Prometheus adds to each sample. */
const ownLabels = new Set(['instance', 'job'])

/** Names in the text that no scrape has: metrics, labels, and values of labels. */
function unknownIn(text: string): string[] {
  return [...text.matchAll(/\b((?:hoplet|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', selector = '']) => {
      const family = familyOf(name)
      if (!family) return [name]
      const conditions = [...selector.matchAll(/(\w+)(?:=~?|!=)\\?"([^"\\]*)\\?"/g)]
      return conditions.flatMap(([condition, label = '', wanted = '']) => {
        if (ownLabels.has(label) || wanted.startsWith('$')) return []
        const values = new Set(family.samples.map(({ labels }) => labels[label]))
        return wanted.split('|').every((value) => values.has(value)) ? [] : [`${name} ${condition}`]
      })
    },
  )
}

function familyOf(name: string) {
  const { families } = metrics
  const found = families.get(name)
  if (found) return found.type === 'histogram' && name.includes('bucket') ? undefined : found
  const base = families.get(name.replace(/_(?:bucket|sum|count)$/, ''))
  return base?.type === 'histogram' ? base : undefined
}

it.each(Object.entries(documents))('%s names only existing metrics', (_, text) => {
  expect(text.match(/hoplet_/g)?.length).toBeGreaterThan(9)
  expect(unknownIn(text)).toEqual([])
})

it('the check notices a wrong name, label and value (control)', () => {
  expect(
    unknownIn(
      `rate(hoplet_visit_total[5m]) + hoplet_visits_total{outcome="redirects"} + hoplet_visits_total{door="auth"}
        + hoplet_visits_total_bucket + hoplet_webhooks_total{outcome=~"failed|lost", instance="a"}`,
    ),
  ).toEqual([
    'hoplet_visit_total',
    'hoplet_visits_total outcome="redirects"',
    'hoplet_visits_total door="auth"',
    'hoplet_visits_total_bucket',
    'hoplet_webhooks_total outcome=~"failed|lost"',
  ])
})

it('the document describes every metric of Hoplet, and every outcome of visits', () => {
  const text = documents['operating.md']
  const own = [...metrics.families.keys()].filter((name) => name.startsWith('hoplet_'))
  expect(own.length).toBeGreaterThan(30)
  expect(own.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  const outcomes = metrics.families.get('hoplet_visits_total')?.samples ?? []
  for (const { labels } of outcomes) expect(text).toContain(`\`${labels['outcome']}\``)
})

it('the document shows every metric of our own but a few on the dashboard', () => {
  const text = documents['operating/grafana-dashboard.json']
  const missing = [...metrics.families.keys()]
    .filter((name) => name.startsWith('hoplet_'))
    .filter((name) => !text.includes(name))
  expect(missing.sort()).toEqual([
    'hoplet_data_disk_size_bytes',
    'hoplet_database_listening',
    'hoplet_journal_segments',
    'hoplet_journal_waiting_clicks',
  ])
})

it('the document has fourteen alerts, each with its time, its words and a remedy', () => {
  const rules = documents['operating/alerts.yml'].split(/^ {6}- alert: /m).slice(1)
  expect(rules).toHaveLength(14)
  for (const rule of rules) {
    const name = rule.split('\n', 1)[0] ?? ''
    expect(rule).toMatch(
      /^\w+\n {8}expr: \S.*\n {8}for: \d+[sm]\n {8}labels: \{ severity: (page|ticket) \}\n {8}annotations:\n {10}summary: '.+'\n/,
    )
    expect(documents['operating.md']).toContain(`| \`${name}\` |`)
  }
})

it('the dashboard is JSON with panels that do not overlap', () => {
  const { panels } = JSON.parse(documents['operating/grafana-dashboard.json']) as {
    panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[]
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})
