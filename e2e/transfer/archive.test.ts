import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { readZip } from '#test/transfer/archive-client.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { savedFile } from '../qr/qr-file.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const noScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

it('Ann makes an archive on her phone, comes back for it, and finds all of her links in the file', async () => {
  const user = await makeUser(server, { plan: 'business' })
  for (const at of [1, 2, 3])
    await makeLink(server, user, { original_url: `https://harbor.example/${at}` })
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto('/settings?tab=account')
  const card = page.getByRole('region', { name: 'Archive', exact: true })
  await card.getByText('One file with everything').waitFor()
  await expectAccessible(page)
  // The keyboard is enough.
  await card.getByRole('button', { name: 'Make Archive' }).focus()
  await page.keyboard.press('Enter')
  await card.getByRole('button', { name: 'Download Archive' }).waitFor({ timeout: 60_000 })
  await page.reload()
  await card.getByText(/^\d+ kB, kept until /).waitFor()
  await expectAccessible(page)
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await look(page, 'settings-archive')
  const { name, bytes } = await savedFile(page, () =>
    card.getByRole('button', { name: 'Download Archive' }).click(),
  )
  expect(name).toMatch(/^hoplet-archive-\d{4}-\d\d-\d\d\.zip$/)
  const archive = await readZip(bytes)
  expect(archive.rows('links.jsonl').map((row) => row['original_url'])).toEqual([
    'https://harbor.example/3',
    'https://harbor.example/2',
    'https://harbor.example/1',
  ])
  expect(archive.json('archive.json')['account']).toMatchObject({ email: user.email })
  await page.context().close()
})

it('Ben sees the progress of his archive, why it is gone, and that three a day are enough', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user, width: 360 })
  // Another server has the claim.
  await server.sql(
    `insert into app.archives (user_id, progress, attempt, next_at) values ($1, 40, 1, now() + interval '1 hour')`,
    [user.id],
  )
  await page.goto('/settings?tab=account')
  const card = page.getByRole('region', { name: 'Archive', exact: true })
  await card.getByText('Making the archive: 40%.').waitFor()
  expect(await card.getByRole('progressbar').getAttribute('value')).toBe('40')
  expect(await card.getByRole('button').count()).toBe(0)
  await expectAccessible(page)
  await look(page, 'settings-archive-making')
  await server.sql(
    `update app.archives set state = 'expired', notice = 'An address was erased. Please make it again.' where user_id = $1`,
    [user.id],
  )
  await card.getByText('An address was erased. Please make it again.').waitFor()
  await expectAccessible(page)
  await server.sql(
    `insert into app.archives (user_id, state) select $1, 'failed' from generate_series(1, 2)`,
    [user.id],
  )
  await card.getByRole('button', { name: 'Make Archive' }).click()
  await expectNotice(
    page,
    'No archive was started',
    'You can make three archives a day. Please try again tomorrow.',
  )
  expect(await noScroll(page)).toBeLessThanOrEqual(0)
  await page.context().close()
})
