import { describe, expect, it } from 'vitest'
import type { RunReport } from '../test/run-report.ts'
import { parseRecord, printRecord } from './flaky-record.mjs'
import { merge, summarize } from './test-results.mjs'

type Tests = RunReport['files'][string]['tests']

const run = (tests: Tests, errors: string[] = []): RunReport => ({
  files: { 'a.test.ts': { seconds: 1, tests, errors } },
  errors: [],
})

describe('the second run of a failed file', () => {
  it('lets a test pass that failed once, and names it', () => {
    const { results, retried } = merge(
      run({ steady: 'passed', shaky: 'failed' }),
      run({ steady: 'failed', shaky: 'passed' }),
    )
    expect(retried).toEqual(['a.test.ts > shaky'])
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
    expect(better.retried).toEqual(['a.test.ts'])
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

it('the record of flaky tests is read as it is written, most frequent first', () => {
  const counts = new Map([
    ['a.test.ts > one', 1],
    ['b.test.ts > two', 3],
  ])
  const text = printRecord({ runs: 4, counts })
  expect(text.indexOf('two')).toBeLessThan(text.indexOf('one'))
  const read = parseRecord(text)
  expect(read.runs).toBe(4)
  expect(Object.fromEntries(read.counts)).toEqual(Object.fromEntries(counts))
  expect(parseRecord('').runs).toBe(0)
})
