import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.mjs'

const path = join(root, 'docs/flaky.md')

/** Adds a run to docs/flaky.md, with the tests that passed at their second run. */
export function recordFlaky(retried) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const { runs, counts } = parseRecord(text)
  for (const test of retried) {
    const name = test.replaceAll('|', '/').replaceAll('`', "'")
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  writeFileSync(path, printRecord({ runs: runs + 1, counts }))
}

/** @returns {{ runs: number, counts: Map<string, number> }} */
export function parseRecord(text) {
  const runs = Number(/^Recorded runs: (\d+)/m.exec(text)?.[1] ?? 0)
  const rows = text.matchAll(/^\| `(.+)` \| (\d+) \|$/gm)
  return { runs, counts: new Map([...rows].map(([, name, count]) => [name, Number(count)])) }
}

export function printRecord({ runs, counts }) {
  const rows = [...counts].toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b))
  return [
    '# Flaky tests',
    '',
    'Tests that failed and then passed at their second run. `npm run test:all -- --record` writes this page.',
    '',
    `Recorded runs: ${runs}`,
    '',
    '| Test | Times |',
    '|---|---|',
    ...rows.map(([name, count]) => `| \`${name}\` | ${count} |`),
    '',
  ].join('\n')
}
