import { describe, expect, test } from 'vitest'
import { createLog } from '../../log.ts'
import { createFirstVisits, type ReportVisitor } from './first-visits.ts'

const log = createLog('silent')
const hour = 3_600_000
const noon = Date.UTC(2026, 11, 24, 12)

/** A database that answers when `answer` is called. */
function open(
  options: {
    stored?: number[]
    maxVisitors?: number
    noDatabase?: true
    onVisitor?: ReportVisitor
  } = {},
) {
  const clock = { time: noon }
  const asked: string[] = []
  let release = () => {}
  const gate = () => new Promise<void>((resolve) => (release = resolve))
  const readVisitors = async (link: string, since: Date) => {
    asked.push(`${link} ${since.toISOString()}`)
    await gate()
    return options.stored ?? []
  }
  const firstVisits = createFirstVisits({
    readVisitors: options.noDatabase ? undefined : readVisitors,
    log,
    now: () => clock.time,
    onVisitor: options.onVisitor,
    ...(options.maxVisitors !== undefined && { maxVisitors: options.maxVisitors }),
  })
  const answer = async () => {
    release()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...firstVisits, clock, asked, answer }
}

describe('a first visit', () => {
  test('is not known until the database has answered, and counts the visits meanwhile', async () => {
    const { visit, answer, asked } = open({ stored: [7] })
    expect(visit('a', 1, true)).toBeUndefined()
    expect(visit('a', 1, true)).toBeUndefined()
    expect(asked).toEqual(['a 2026-12-24T00:00:00.000Z'])
    await answer()
    expect(visit('a', 1, true)).toBe(false)
    expect(visit('a', 7, true)).toBe(false)
    expect(visit('a', 2, false)).toBe(true)
    expect(visit('a', 2, true)).toBe(true)
    expect(visit('a', 2, true)).toBe(false)
    expect(visit('b', 2, true)).toBeUndefined()
  })

  test('at another process of the server is one too', async () => {
    const other = open()
    const own = open({ onVisitor: other.visitedElsewhere })
    // The other process hears of visitors before it is asked for the link, and after.
    own.visit('a', 1, true)
    other.visit('a', 9, false)
    await Promise.all([own.answer(), other.answer()])
    own.visit('a', 2, true)
    own.visit('a', 3, false)
    expect([1, 2, 3, 4].map((visitor) => other.visit('a', visitor, false))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test('is reported once', async () => {
    const reported: unknown[] = []
    const { visit, answer } = open({ onVisitor: (...visitor) => reported.push(visitor) })
    visit('a', 1, true)
    await answer()
    visit('a', 1, true)
    visit('a', 2, false)
    visit('b', 1, true)
    expect(reported).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })

  test('is known of everyone from the next UTC day on', async () => {
    const { visit, answer, clock } = open()
    visit('a', 1, true)
    await answer()
    clock.time += 12 * hour
    expect(visit('a', 1, true)).toBe(true)
    expect(visit('a', 1, true)).toBe(false)
  })

  test('is not known before the next day where the database has no hits', async () => {
    const { visit, clock } = open({ noDatabase: true })
    visit('a', 1, true)
    expect(visit('a', 1, true)).toBeUndefined()
    clock.time += 12 * hour
    expect(visit('a', 1, true)).toBe(true)
  })

  test('asks the database again for visits to other processes, and only for recent ones', async () => {
    const stored: number[] = []
    const { visit, answer, clock, asked } = open({ stored })
    visit('a', 1, true)
    await answer()
    clock.time += 40_000
    stored.push(5)
    expect(visit('a', 2, true)).toBe(true)
    await answer()
    expect(visit('a', 5, true)).toBe(false)
    expect(asked).toEqual(['a 2026-12-24T00:00:00.000Z', 'a 2026-12-24T11:59:00.000Z'])
  })

  test('takes no more memory than allowed: the visitors of the oldest link go', async () => {
    const { visit, answer } = open({ maxVisitors: 3 })
    visit('a', 1, true)
    await answer()
    visit('b', 1, true)
    await answer()
    visit('b', 2, true)
    expect(visit('a', 1, true)).toBe(false)
    visit('b', 3, true)
    expect(visit('a', 1, true)).toBeUndefined()
  })
})
