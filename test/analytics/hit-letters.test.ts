import { beforeAll, expect, it } from 'vitest'
import { popupLetters } from '#server/analytics/hits/popup-events.ts'
import { hitVerdicts } from '#server/analytics/hits/verdicts.ts'
import { sharedServer, type TestServer } from '#test/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const lettersWhere = async (test: string, letters: Record<string, string>) => {
  const found = await server.sql<{ letter: string }>(
    `select letter from unnest($1::"char"[]) as letter where ${test}(letter)`,
    [Object.values(letters)],
  )
  return found.map(({ letter }) => letter)
}

it('the database names the letters of hits as the program does', async () => {
  const { counted, repeat, own } = hitVerdicts
  expect(await lettersWhere('app.is_counted', hitVerdicts)).toEqual([counted])
  expect(await lettersWhere('app.is_repeat', hitVerdicts)).toEqual([repeat])
  expect(await lettersWhere('app.is_own', hitVerdicts)).toEqual([own])
  expect(await lettersWhere('app.is_of_person', hitVerdicts)).toEqual([counted, repeat, own])
  expect(await lettersWhere('app.is_imported', hitVerdicts)).toEqual([hitVerdicts.imported])
  expect(await lettersWhere('app.is_emailed', popupLetters)).toEqual([popupLetters.emailed])
})

it.each([
  ['app.is_counted(verdict)', `(verdict = 'c'::"char")`],
  ['app.is_of_person(verdict)', `(verdict = ANY ('{c,r,o}'::"char"[]))`],
  [`at < now() - app.name_hold()`, `'30 days'::interval`],
  ['app.is_beyond_kept(scope, account)', '> 5000'],
])('a plan has the value of %s itself', async (condition, inPlan) => {
  const lines = await server.sql<{ 'QUERY PLAN': string }>(
    `explain select from app.click_events_other where ${condition}`,
  )
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
  expect(plan).toContain(inPlan)
  expect(plan).not.toContain('app.')
})
