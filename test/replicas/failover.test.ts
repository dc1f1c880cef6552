/** @module-tag extended */
import { expect, it } from 'vitest'
import { broken } from '#test/visits/history.ts'
import { failOver } from './failover.ts'

// The long form: npm run bench -- failover.

it('the server answers every visit and loses nothing that was confirmed while a synchronous standby takes over', async () => {
  const report = await failOver({ synchronous: true, visitsPerSecond: 100, loadMs: 500 })
  expect([...report.statuses.keys()]).toEqual(['302'])
  expect(broken(report.history)).toEqual([])
  expect(report.lostWrites).toBe(0)
  expect(report.flushes).toBeGreaterThan(0)
  expect(report.changed).toBe('https://example.com/after')
})

it('the server counts clicks again that an asynchronous standby had not received', async () => {
  const report = await failOver({
    synchronous: false,
    visitsPerSecond: 100,
    loadMs: 500,
    endsQuietly: true,
  })
  // The standby was really behind (control).
  expect(report.clicksBehind).toBeGreaterThan(0)
  expect([...report.statuses.keys()]).toEqual(['302'])
  expect(broken(report.history)).toEqual([])
  expect(report.changed).toBe('https://example.com/after')
})
