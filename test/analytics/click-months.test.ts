import { expect, it } from 'vitest'
import { startTestServer } from '#test/server.ts'

it('a server that has just started has the partitions of three months, so that no hit moves later', async () => {
  const server = await startTestServer()
  const months = await server.sql<{ root: string; months: string[] }>(
    `select i.inhparent::regclass::text as root, array_agg(right(i.inhrelid::regclass::text, 7) order by 1) as months
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where c.relkind = 'r' and i.inhrelid::regclass::text ~ '^app.(click|popup)_events_[0-9]{4}_[0-9]{2}$' group by 1 order by 1`,
  )
  const [expected] = await server.sql<{ months: string[] }>(
    `select array_agg(to_char(app.today() + n * interval '1 month', 'YYYY_MM')) as months from generate_series(0, 2) n`,
  )
  expect(months.map(({ root }) => root)).toEqual(['app.click_events', 'app.popup_events'])
  for (const root of months) expect(root.months.toSorted()).toEqual(expected?.months)
  await server.close()
})
