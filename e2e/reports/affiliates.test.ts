/** @module-tag extended */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { payInvoice, reverse } from '#test/affiliates/plant.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { failing } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let busy: TestUser

setStage(async (stage) => {
  ;({ server, browser } = stage)
  busy = await makeUser(server)
  await fill(busy)
})

/** A sign-up that the referrer brought. @returns its id */
async function bring(referrer: string, name: string, monthsAgo: number): Promise<string> {
  const [made] = await server.sql<{ id: string }>(
    `insert into auth.users (email, created_at) values ($1, now()) returning id`,
    [`${name}@example.com`],
  )
  const id = made?.id ?? ''
  await server.sql(
    `insert into app.referrals (referred_user_id, referrer_user_id, created_at)
     values ($1, $2, date_trunc('month', now()) - $3 * interval '1 month')`,
    [id, referrer, monthsAgo],
  )
  return id
}

/** A year of an affiliate: five sign-ups, a sign-up by one of them, payments, a refund, a payout, one in review. */
async function fill(affiliate: TestUser): Promise<void> {
  const { sql } = server
  await sql(`insert into app.affiliate_codes (user_id, code) values ($1, 'BUSYBEE1')`, [
    affiliate.id,
  ])
  const payers = []
  for (const [index, monthsAgo] of [11, 9, 6, 3, 1].entries()) {
    payers.push(await bring(affiliate.id, `brought-${index}`, monthsAgo))
  }
  payers.push(await bring(payers[2] ?? '', 'brought-by-third', 2))
  let last = ''
  for (const [index, payer] of payers.entries()) {
    for (let month = 0; month <= 4; month++) {
      last = await payInvoice(sql, { payer, age: 31 * month, base: index === 4 ? 4700 : 700 })
    }
  }
  await reverse(sql, last, { refunded: 700 })
  await sql('select app.make_payout($1, null, null)', [affiliate.id])
  const again = await bring(affiliate.id, affiliate.email.replace(/@.*/, '+again'), 0)
  await payInvoice(sql, { payer: again })
  await reverse(sql, await payInvoice(sql, { payer: payers[0] ?? '' }), { refunded: 200 })
  await sql(`update app.affiliate_codes set total_referrals = 6 where user_id = $1`, [affiliate.id])
}

const stat = (page: Page, name: string) =>
  page.locator('dl[aria-label="Totals"] > div').filter({ hasText: name }).locator('dd').first()

describe('the affiliate dashboard', () => {
  it('is for people who are signed in', async () => {
    const page = await openPage(browser, server.url)
    await page.goto('/affiliates')
    await page.waitForURL(/\/auth(\?|$)/)
    await page.context().close()
  })

  it(
    'makes one code on the first visit, in five tabs at once, and copies the link',
    { tags: ['gate'] },
    async () => {
      const user = await makeUser(server)
      const page = await openPage(browser, server.url, { user })
      await page.goto('/affiliates')
      const tabs = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const tab = await page.context().newPage()
          await tab.goto('/affiliates')
          return tab
        }),
      )
      const links = await Promise.all(
        [page, ...tabs].map((tab) =>
          tab.getByRole('region', { name: 'Your referral link' }).locator('p').textContent(),
        ),
      )
      const [{ code } = { code: '' }] = await server.sql<{ code: string }>(
        'select code from app.affiliate_codes where user_id = $1',
        [user.id],
      )
      expect(code).toMatch(/^[A-Z0-9]{8}$/)
      expect(new Set(links)).toEqual(new Set([`${server.url}/?ref=${code}`]))

      await page.getByRole('button', { name: 'Copy Link' }).click()
      await expectNotice(page, 'Copied!', 'Referral link copied to clipboard')
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(links[0])
      await expect.poll(() => stat(page, 'Total Referrals').textContent()).toBe('0')
      await expect.poll(() => stat(page, 'Total Earnings').textContent()).toBe('$0.00')
      await expect.poll(() => stat(page, 'Commission Rate').textContent()).toBe('25% / 10%')
      await page.getByText('No commissions yet').waitFor()
      await page.getByRole('heading', { name: 'How it works' }).waitFor()
      await page.context().close()
    },
  )

  it('shares the link: as a QR code, in texts, and with the dialog of the device', async () => {
    const page = await openPage(browser, server.url, { user: busy, width: 360 })
    const shared: unknown[] = []
    await page.exposeFunction('keepShared', (data: unknown) => void shared.push(data))
    await page.addInitScript(() => {
      navigator.share = (data) =>
        (window as unknown as { keepShared: (data: unknown) => Promise<void> }).keepShared(data)
    })
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    await page.goto('/affiliates')
    const url = `${server.url}/?ref=BUSYBEE1`
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await expect.poll(() => shared).toMatchObject([{ url }])

    expect(scripts.join()).not.toContain('referral-qr')
    await page.getByRole('button', { name: 'QR Code' }).click()
    const dialog = page.getByRole('dialog', { name: 'QR code' })
    await dialog.getByRole('img', { name: `QR code of ${url}` }).waitFor()
    const waiting = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download QR Code' }).click()
    expect((await waiting).suggestedFilename()).toBe('hoplet-referral.png')
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    const texts = page.getByRole('region', { name: 'Ready-made texts' })
    for (const name of ['Message', 'Post', 'Email']) {
      await texts.getByRole('button', { name: `Copy ${name}` }).click()
      await expectNotice(page, 'Copied!', 'Text copied to clipboard')
      const item = texts.getByRole('listitem').nth(['Message', 'Post', 'Email'].indexOf(name))
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      expect(copied).toContain(url)
      await expect.poll(() => item.locator('p').textContent()).toBe(copied)
    }
    await page.context().close()
  })

  it('says why each commission exists, ten at a time', async () => {
    const page = await openPage(browser, server.url, { user: busy })
    await page.goto('/affiliates')
    const lines = page.getByRole('region', { name: 'Latest commissions' }).getByRole('listitem')
    await expect.poll(() => lines.count()).toBe(10)
    const month = (ago: number) => {
      const now = new Date()
      return new Intl.DateTimeFormat('en', {
        month: 'long',
        year: 'numeric',
        timeZone: 'UTC',
      }).format(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1))
    }
    const texts = await lines.allTextContents()
    const find = (kind: string) => texts.find((text) => text.startsWith(kind)) ?? ''
    expect(find('Refund: sign-up')).toMatch(/−\$0\.50.*Pending until/)
    expect(find('Refund: sign-up')).toContain(`sign-up #1 (${month(11)})`)
    expect(find('Friend of')).toContain(`Friend of sign-up #3 (${month(6)})`)
    expect(find('Friend of')).toContain('10% of $7 ·')
    expect(texts.join()).toMatch(/25% of \$47 · .+ · invoice [0-9A-F]{8}/)
    expect(texts.join()).toContain('In review')
    await expect.poll(() => page.getByRole('main').textContent()).not.toContain('brought-')
    await page.getByRole('button', { name: 'Show Older' }).click()
    await expect.poll(() => lines.count()).toBe(20)
    await page.getByRole('button', { name: 'Show Older' }).click()
    await expect.poll(() => lines.filter({ hasText: 'Paid' }).count()).toBeGreaterThan(3)
    // A refund of a payout has not been paid.
    await expect
      .poll(() => lines.filter({ hasText: 'Refund: ' }).filter({ hasText: /Paid$/ }).count())
      .toBe(0)
    await page.context().close()
  })

  it('shows pending earnings with their due date, and the months as bars and as a table', async () => {
    const page = await openPage(browser, server.url, { user: busy })
    await page.goto('/affiliates')
    const payouts = page.getByRole('region', { name: 'Payouts' })
    await payouts.getByText(/\$[\d.]+ of it is due on .+\./).waitFor()
    await payouts.getByText('$1.75 is in review').waitFor()
    const [{ paid } = { paid: '' }] = await server.sql<{ paid: string }>(
      `select '$' || round(sum(amount_cents) / 100.0, 2) as paid from app.payouts where affiliate_user_id = $1`,
      [busy.id],
    )
    await payouts.getByText(paid, { exact: true }).waitFor()
    const chart = page.getByRole('region', { name: 'Over time' })
    await chart.getByText('Reversed', { exact: true }).first().waitFor()
    // The first sign-up was eleven months ago, the first earning four.
    await expect.poll(() => chart.locator('[title*="earned"]').count()).toBe(6)
    await chart.getByText('Show as a table').click()
    const rows = chart.getByRole('row')
    await expect.poll(() => rows.count()).toBe(13)
    // A reversal counts in the month of the commission that it takes back.
    await expect.poll(() => rows.nth(1).textContent()).toContain('$0.50')
    await expect.poll(() => rows.filter({ hasText: '$0.70' }).count()).toBe(1)
    await page.context().close()
  })

  it('subtracts refunds once: in the sentence over the months, their bars and their table', async () => {
    const affiliate = await makeUser(server)
    const payer = await bring(affiliate.id, 'refunded-in-part', 0)
    const invoice = await payInvoice(server.sql, { payer, base: 4000 })
    const page = await openPage(browser, server.url, { user: affiliate })
    await page.goto('/affiliates')
    const chart = page.getByRole('region', { name: 'Over time' })
    await chart.getByText('$10.00 in the last twelve months.').waitFor()
    await reverse(server.sql, invoice, { refunded: 1000 })
    await page.reload()
    const sentence =
      '$7.50 in the last twelve months: $10.00 earned, $2.50 taken back by refunds and disputes.'
    await chart.getByText(sentence).waitFor()
    await chart.locator('[title$=": $10.00 earned, $2.50 reversed"]').waitFor()
    await chart.getByText('Show as a table').click()
    const cells = chart.getByRole('row').nth(1).getByRole('cell')
    await expect.poll(() => cells.allTextContents()).toEqual(['$10.00', '$2.50', '1'])
    await page.context().close()
  })

  it('says of play money that it is never paid out, and of real money when it is due', async () => {
    const player = await makeUser(server)
    const played = await bring(player.id, 'played', 2)
    for (const age of [0, 31])
      await payInvoice(server.sql, { payer: played, age, provider: 'play_money' })
    const page = await openPage(browser, server.url, { user: player })
    await page.goto('/affiliates')
    const payouts = page.getByRole('region', { name: 'Payouts' })
    await payouts.getByText('Earned in play money, which is never paid out.').waitFor()
    await payouts.getByText('Play money, which is never paid out.', { exact: true }).waitFor()
    expect(await payouts.textContent()).not.toContain('due on')
    // One real commission among them is owed.
    await payInvoice(server.sql, { payer: played })
    await page.reload()
    await payouts.getByText(/\$[\d.]+ of it is due on .+\./).waitFor()
    await payouts.getByText('Goes out with the next payout.').waitFor()
    await page.context().close()
  })

  it('says when the data or the commissions did not load, and tries again', async () => {
    const page = await openPage(browser, server.url, { user: busy })
    await page.route('**/rpc/affiliate_summary*', () => {})
    await page.goto('/affiliates')
    await page.getByText('Loading your affiliate data').waitFor()
    await look(page, 'affiliates-loading')
    await page.unroute('**/rpc/affiliate_summary*')
    await page.route('**/rpc/affiliate_summary*', failing)
    await page.route('**/rpc/commission_lines*', failing)
    await page.reload()
    await expectNotice(page, 'Error', 'Failed to load affiliate data')
    await look(page, 'affiliates-failed')
    await page.unroute('**/rpc/affiliate_summary*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page.getByRole('heading', { name: 'Payouts' }).waitFor()
    await page.getByRole('alert').getByText('Failed to load affiliate data').waitFor()
    await page.unroute('**/rpc/commission_lines*')
    await page.getByRole('button', { name: 'Try Again' }).click()
    await page
      .getByRole('region', { name: 'Latest commissions' })
      .getByRole('listitem')
      .first()
      .waitFor()
    forgive(/status of 500/)
    await page.context().close()
  })
})

describe('a referral link', () => {
  const codeField = (page: Page) => page.getByLabel('Referral code')

  it('is remembered across visits for 30 days, fills the sign-up form, and is forgotten afterwards', async () => {
    const referrer = await makeUser(server)
    await server.sql(`insert into app.affiliate_codes (user_id, code) values ($1, '12E45678')`, [
      referrer.id,
    ])
    const page = await openPage(browser, server.url)
    await page.goto('/?ref=SOMEBODY')
    await page.goto('/?ref=12e45678')
    await page.close()
    const next = await page.context().newPage()
    await next.goto('/auth?mode=sign-up')
    await expect.poll(() => codeField(next).inputValue()).toBe('12e45678')
    await next.goto('/auth?ref=12E45678')
    await expect.poll(() => codeField(next).inputValue()).toBe('12E45678')
    await next.getByLabel('Email').fill('brought-here@example.com')
    await next.getByLabel('Password', { exact: true }).fill('correct horse 42')
    await next.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
    await expectNotice(next, 'Account Created!')
    expect(
      await server.sql(
        `select r.referrer_user_id as id from app.referrals r join auth.users u on u.id = r.referred_user_id
         where u.email = 'brought-here@example.com'`,
      ),
    ).toEqual([{ id: referrer.id }])
    await next.goto('/auth?mode=sign-up')
    await expect.poll(() => codeField(next).inputValue()).toBe('')
    await next.context().close()
  })

  it('is forgotten after 30 days, and nonsense in its place does no harm', async () => {
    const page = await openPage(browser, server.url)
    await page.goto('/?ref=OLDFRIEND')
    const later = (days: number) =>
      page.evaluate((ms) => {
        const stored = JSON.parse(localStorage.getItem('hoplet.referral') ?? '{}')
        localStorage.setItem(
          'hoplet.referral',
          JSON.stringify({ ...stored, until: stored.until - ms }),
        )
      }, days * 86_400_000)
    const signUp = async () => {
      await page.goto('/auth?mode=sign-up')
      return codeField(page).inputValue()
    }
    await later(29.9)
    expect(await signUp()).toBe('OLDFRIEND')
    await later(0.2)
    expect(await signUp()).toBe('')
    await page.evaluate(() => localStorage.setItem('hoplet.referral', '[1'))
    expect(await signUp()).toBe('')
    await page.context().close()
  })

  it('does nothing when hidden in a frame of another site, on the server or in the browser', async () => {
    const state = () =>
      server.sql(
        'select (select count(*) from app.referrals) as referrals, (select sum(total_referrals) from app.affiliate_codes) as totals',
      )
    const before = await state()
    const stuffer = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>x</title><iframe src="${server.url}/?ref=BUSYBEE1"></iframe>`)
    })
    await new Promise<void>((resolve) => stuffer.listen(0, '127.0.0.1', resolve))
    const page = await openPage(browser, server.url)
    const { port } = stuffer.address() as AddressInfo
    const framed = page.waitForResponse((response) => response.url().includes('ref=BUSYBEE1'))
    await page.goto(`http://localhost:${port}/`)
    const { 'set-cookie': cookie } = await (await framed).allHeaders()
    expect(cookie).toBeUndefined()
    await page.waitForTimeout(300)
    await page.goto('/auth?mode=sign-up')
    await expect.poll(() => codeField(page).inputValue()).toBe('')
    expect(await page.context().cookies()).toEqual([])
    expect(await state()).toEqual(before)
    forgive(/frame-ancestors|X-Frame-Options|favicon|Access is denied for this document/i)
    // Opened by the person, the same link is remembered.
    await page.goto('/?ref=BUSYBEE1')
    await page.goto('/auth?mode=sign-up')
    await expect.poll(() => codeField(page).inputValue()).toBe('BUSYBEE1')
    expect(await state()).toEqual(before)
    await page.context().close()
    stuffer.close()
  })
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it.each(['full', 'empty'])(
      `${theme}, ${width} px wide, %s: is accessible and does not scroll sideways`,
      async (state) => {
        const user = state === 'full' ? busy : await makeUser(server)
        const page = await openPage(browser, server.url, { theme, width, user })
        await page.goto('/affiliates')
        await page
          .getByText(state === 'full' ? 'Show Older' : 'No commissions yet')
          .first()
          .waitFor()
        if (state === 'full') await page.getByText('Show as a table').click()
        await page.waitForTimeout(400)
        await expectAccessible(page)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow).toBeLessThanOrEqual(0)
        await page.context().close()
      },
    )
  }
}
