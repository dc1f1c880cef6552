import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage), {
  environment: () => ({ RATE_LIMITS: 'off', CHECK_LINKS: 'on' }),
})

interface Found {
  finding: 'dead' | 'moved' | 'certificate'
  reason?: string
  to?: string
}

/** A link with the finding of a check that was a moment ago, so that the server makes none itself. */
async function makeUnhealthy(owner: TestUser, code: string, url: string, found: Found) {
  const link = await makeLink(server, owner, { short_code: code, original_url: url })
  await server.sql(
    `insert into app.destination_checks (user_id, address_hash, checked_at, finding, reason, since, new_url)
      values ($1, sha256(convert_to($2, 'UTF8')), now(), $3, $4, '2026-11-02T12:00:00Z', $5)`,
    [owner.id, url, found.finding, found.reason ?? null, found.to ?? null],
  )
  return link
}

it('Ann finds the destinations that are broken, updates the moved ones, and checks a dead one again', async () => {
  const ann = await makeUser(server, { plan: 'business' })
  for (const n of [1, 2, 3])
    await makeUnhealthy(ann, `moved-${n}`, `https://old-${n}.example.com/`, {
      finding: 'moved',
      to: `https://new-${n}.example.com/`,
    })
  const [kept] = await server.sql<{ id: string }>(
    `select id from app.shortened_urls where short_code = 'moved-3'`,
  )
  await server.sql(
    `insert into app.link_expectations (link_id, name, visit, expected_url) values ($1, 'Stays here', '{}', $2)`,
    [kept?.id, 'https://old-3.example.com/'],
  )
  // A private address is never asked: its check ends without a finding.
  await makeUnhealthy(ann, 'dead-1', 'https://10.0.0.9/menu', { finding: 'dead', reason: '404' })
  await makeUnhealthy(ann, 'expired-1', 'https://expired.example.com/', {
    finding: 'certificate',
    reason: 'expired',
  })
  const page = await openPage(browser, server.url, { user: ann, width: 360 })
  await page.goto('/dashboard')
  await page.getByText('broken destination', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Broken destinations' }).click()
  const rows = page.getByRole('list', { name: 'Links to mend' }).getByRole('listitem')
  await rows.getByText(/^Destination does not answer since Nov 2.*: page not found$/).waitFor()
  await rows.getByText('Moved to https://new-1.example.com').waitFor()
  await rows.getByText(/^Bad certificate since Nov 2.*: expired$/).waitFor()
  expect(await rows.count()).toBe(5)
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)

  await page.getByRole('button', { name: 'Update address of moved-1' }).click()
  await expectNotice(page, 'Address updated')
  await expect.poll(() => rows.count()).toBe(4)
  await page.getByRole('button', { name: 'Update all moved' }).click()
  await page.getByRole('alert').getByText('/moved-3').waitFor()
  expect(await page.getByRole('alert').first().textContent()).toContain('Stays here')
  await expect.poll(() => rows.count()).toBe(3)
  const urls = await server.sql(
    `select short_code, original_url from app.shortened_urls where short_code like 'moved-%' order by 1`,
  )
  expect(urls).toEqual([
    { short_code: 'moved-1', original_url: 'https://new-1.example.com/' },
    { short_code: 'moved-2', original_url: 'https://new-2.example.com/' },
    { short_code: 'moved-3', original_url: 'https://old-3.example.com/' },
  ])
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Bad certificate 1' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('button', { name: 'All' }).click()
  await page.getByRole('button', { name: 'Check again of dead-1' }).click()
  await expectNotice(page, 'The destination answers now')
  await expect.poll(() => rows.count()).toBe(2)
  await page.context().close()
})

it('Ann sees on the page of a link where it moved, and updates it there', async () => {
  const ann = await makeUser(server, { plan: 'business' })
  await makeUnhealthy(ann, 'page-moved', 'https://before.example.com/', {
    finding: 'moved',
    to: 'https://after.example.com/',
  })
  const page = await openPage(browser, server.url, { user: ann, width: 360 })
  await page.goto('/links/page-moved')
  const card = page.getByRole('region', { name: 'Destination', exact: true })
  await card.getByText('Moved to https://after.example.com').waitFor()
  await expectAccessible(page)
  await card.getByRole('button', { name: 'Update address' }).click()
  await page.getByText('https://before.example.com').first().waitFor()
  await card.waitFor({ state: 'detached' })
  await page.goto('/dashboard/health')
  await page.getByText('No problems found').waitFor()
  await page.context().close()
})

it('Ann turns on the weekly email about broken destinations', async () => {
  const ann = await makeUser(server)
  await makeUnhealthy(ann, 'mailed-dead', 'https://dead.example.com/', {
    finding: 'dead',
    reason: '410',
  })
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/settings')
  await page.getByRole('switch', { name: 'Weekly broken destinations' }).click()
  await expect
    .poll(() => server.sql('select health from app.click_mails where user_id = $1', [ann.id]))
    .toEqual([{ health: true }])
  await page.context().close()
})
