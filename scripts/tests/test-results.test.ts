import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startVitest } from 'vitest/node'
import { ReportToFile, type RunReport } from '../../test/run-report.ts'
import { merge, summarize } from './test-results.mjs'

type States = Record<string, RunReport['files'][string]['tests'][string]['state']>

const run = (states: States, errors: string[] = []): RunReport => ({
  files: { 'a.test.ts': { seconds: 1, tests: resultsOf(states), errors } },
  errors: [],
})

const resultsOf = (states: States) =>
  Object.fromEntries(
    Object.entries(states).map(([name, state]) => [
      name,
      state === 'failed' ? { state, error: `${name} broke\n  at line 1` } : { state },
    ]),
  )

describe('the second run of a failed file', () => {
  it('lets a test pass that failed once, and names it with its first error', () => {
    const { results, retried } = merge(
      run({ steady: 'passed', shaky: 'failed' }),
      run({ steady: 'failed', shaky: 'passed' }),
    )
    expect(retried).toEqual(['a.test.ts > shaky: shaky broke'])
    expect(summarize(results)).toEqual({ passed: 2, failures: [] })
  })

  it('fails a test that failed twice', () => {
    const { results, retried } = merge(run({ broken: 'failed' }), run({ broken: 'failed' }))
    expect(retried).toEqual([])
    expect(summarize(results)).toEqual({ passed: 0, failures: ['a.test.ts > broken'] })
  })

  it('forgives an error outside the tests that does not come back, and no other', () => {
    const first = run({ one: 'skipped' }, ['no connection'])
    const better = merge(first, run({ one: 'passed' }))
    expect(better.retried).toEqual(['a.test.ts: no connection'])
    expect(summarize(better.results)).toEqual({ passed: 1, failures: [] })
    const same = merge(first, run({ one: 'skipped' }, ['no connection']))
    expect(summarize(same.results).failures).toEqual(['a.test.ts: no connection'])
  })

  it('keeps the first failure when the second run dies', () => {
    const died = { files: {}, errors: ['the runner ended without a report'] }
    const { results } = merge(run({ broken: 'failed' }), died)
    expect(summarize(results).failures).toHaveLength(2)
  })
})

it('a failure is reported although a later test with the same name passes', async () => {
  const { exitCode } = process
  const folder = mkdtempSync(join(tmpdir(), 'hoplet-report-'))
  const reportFile = join(folder, 'report.json')
  const globals = `const { it, expect } = globalThis\n`
  writeFileSync(
    join(folder, 'a.test.js'),
    `${globals}it('x', () => expect(1).toBe(2))\nit('x', () => {})\nit('y', () => {})`,
  )
  try {
    const vitest = await startVitest('test', [], {
      root: folder,
      config: false,
      globals: true,
      watch: false,
      reporters: [new ReportToFile(reportFile)],
    })
    await vitest.close()
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as RunReport
    const { passed, failures } = summarize(report)
    expect(passed).toBe(1)
    expect(failures).toEqual([
      expect.stringContaining('two tests are called "x"'),
      expect.stringContaining('a.test.js > x'),
    ])
  } finally {
    process.exitCode = exitCode
    rmSync(folder, { recursive: true })
  }
})
