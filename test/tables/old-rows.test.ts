import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { migrate, migrations } from '#server/postgres/migrate.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

const log = createLog('fatal')
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase({ empty: true })
  const before = migrations.filter(({ name }) => name < '0011')
  await migrate(database.url, log, before)
})
afterAll(() => database.drop())

it('PU2, PU4, PP2, PP9: rows from before the rules are brought in line, and good ones stay as they are', async () => {
  const [ann] = await database.sql<{ id: string }>(
    `insert into auth.users (email) values ('ann@example.com') returning id`,
  )
  const popups = [
    ['http', 'http://crm.example/', null],
    ['none', null, '/media/a/b.svg'],
    ['good', 'https://crm.example/', 'https://cdn.example/a.png'],
    ['\u200B', 'https://crm.example/', 'https://cdn.example/a.svg'],
    ['blank', 'https://crm.example/', ''],
  ]
  for (const [title, url, image] of popups) {
    await database.sql(
      `insert into app.popups (user_id, title, cta_text, cta_url, collect_email, image_url)
       values ($1, $2, $2, $3, true, $4)`,
      [ann?.id, title, url, image],
    )
  }
  await database.sql(
    `insert into app.bio_pages (user_id, slug, title, theme_primary, theme_text) values ($1, 'paypal', $2, '999 50% 50%', '1 1% 1%')`,
    [ann?.id, '\u3164'],
  )
  await database.sql(
    `insert into app.bio_social_links (bio_page_id, platform, url)
     select p.id, 'email', url from app.bio_pages p, unnest($1::text[]) as url`,
    [['mailto:ann@example.com', 'mailto:x?bcc=bob@example.com', 'https://example.com/']],
  )

  expect((await migrate(database.url, log))[0]).toMatch(/^0011_/)

  expect(
    await database.sql(
      'select title, cta_text, collect_email, image_url from app.popups order by title collate "C"',
    ),
  ).toEqual([
    { title: 'Popup', cta_text: 'Get Started', collect_email: true, image_url: null },
    { title: 'blank', cta_text: 'blank', collect_email: true, image_url: '' },
    {
      title: 'good',
      cta_text: 'good',
      collect_email: true,
      image_url: 'https://cdn.example/a.png',
    },
    { title: 'http', cta_text: 'http', collect_email: false, image_url: null },
    { title: 'none', cta_text: 'none', collect_email: false, image_url: null },
  ])
  expect(
    await database.sql('select slug, title, theme_primary, theme_text from app.bio_pages'),
  ).toEqual([
    {
      slug: 'paypal',
      title: 'paypal',
      theme_primary: '262 83% 58%',
      theme_text: '222 47% 11%',
    },
  ])
  const left = await database.sql('select url from app.bio_social_links order by url')
  expect(left.map(({ url }) => url)).toEqual(['https://example.com/', 'mailto:ann@example.com'])
})
