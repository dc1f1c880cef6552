/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { commonLimits, planLimits, planOffers, plans } from '#domain/plans.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage, widthsOf } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let user: TestUser

setStage(
  async (stage) => {
    ;({ server, browser } = stage)
    user = await makeUser(server)
  },
  { environment: () => ({ RATE_LIMITS: 'off', MAIL_FROM: 'Hoplet <hello@hop.example>' }) },
)

interface Opened {
  width?: number
  theme?: 'light' | 'dark'
  /** Undefined: signed out. */
  plan?: 'free' | 'pro' | 'business'
  path?: string
}

/** Where the cards are, and whether something in them reaches over their edge. */
const boxesOf = (page: Page) =>
  page.getByRole('article').evaluateAll((all) =>
    all.map((one) => {
      const { top, right } = one.getBoundingClientRect()
      const parts = [...one.querySelectorAll('*')]
      return {
        top,
        sticksOut: parts.some((part) => part.getBoundingClientRect().right > right + 0.5),
      }
    }),
  )

/** The upgrade screen of an account with this subscription; e2e/reports/money.test.ts buys a real one. */
async function openUpgrade({ plan, path, ...visit }: Opened = {}): Promise<Page> {
  const page = await openPage(browser, server.url, { ...visit, ...(plan && { user }) })
  if (plan) await answerPlan(page, () => plan)
  await page.goto(path ?? '/upgrade')
  await page.getByRole('article').first().waitFor()
  return page
}

async function answerPlan(page: Page, plan: () => string, more: object = {}): Promise<void> {
  await page.route('**/functions/v1/check-subscription', (route) =>
    route.fulfill({
      json: {
        subscribed: plan() !== 'free',
        plan: plan(),
        subscription_end: plan() === 'free' ? null : '2031-05-06T12:00:00Z',
        ...more,
      },
    }),
  )
}

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const buttonsOf = (page: Page, name: string) =>
  card(page, name).getByRole('button').allTextContents()

describe('the plans', () => {
  it('limits are named in the words of the offer', async () => {
    const page = await openUpgrade()
    for (const offer of Object.values(planOffers)) {
      const text = (await card(page, offer.name).textContent()) ?? ''
      for (const feature of offer.features) expect(text).toContain(feature)
      expect(text).toContain(`$${offer.price}${offer.price === 0 ? ' forever' : '/month'}`)
      if (offer.priceBefore === null) expect(text).not.toContain('% off')
      else expect(text).toContain('50% off')
      const struck = await card(page, offer.name).locator('s').allTextContents()
      expect(struck).toEqual(offer.priceBefore === null ? [] : [`Before: $${offer.priceBefore}`])
    }
    await card(page, 'Pro').getByText('Most Popular').waitFor()
    await expect.poll(() => page.getByText('Most Popular').count()).toBe(1)
    await page.getByText('All plans include secure HTTPS links and unlimited redirects.').waitFor()
    const contact = page.getByRole('link', { name: 'Contact us for enterprise plans.' })
    await expect.poll(() => contact.getAttribute('href')).toBe('mailto:hello@hop.example')
    await page.getByText('This server takes play money: you can try the paid plans').waitFor()
    await page.context().close()
  })

  it('plans are compared by the enforced limits and by their functions', async () => {
    const page = await openUpgrade({ width: 360 })
    const table = page.getByRole('region', { name: 'What each plan allows' })
    await expect
      .poll(() => table.locator('th[scope=rowgroup]').allTextContents())
      .toEqual(['Links', 'Insight', 'Pages and popups', 'Developers'])
    const row = (name: string) =>
      table.getByRole('row', { name: new RegExp(name) }).getByRole('cell')
    const has = (isIncluded: boolean) => (isIncluded ? /^Included/ : /Not included$/)
    for (const [index, plan] of plans.entries()) {
      const { shortenedUrls, customCodes, qrCodes, limitType, canViewClicks } = planLimits[plan]
      const per = limitType === 'daily' ? 'a day' : 'in total'
      const cell = async (name: string) => (await row(name).allTextContents())[index]
      expect(await cell('Shortened URLs')).toBe(`${shortenedUrls} ${per}`)
      expect(await cell('Custom codes')).toBe(`${customCodes} ${per}`)
      expect(await cell('QR code')).toBe(qrCodes === 0 ? 'Not counted' : `${qrCodes} ${per}`)
      for (const name of ['Rules by country', 'MCP server', 'double opt-in'])
        expect(await cell(name)).toMatch(has(true))
      for (const name of ['Click and visit counts', 'Shared reports', 'A/B and popup results'])
        expect(await cell(name)).toMatch(has(canViewClicks))
      expect(await cell('Made with Hoplet')).toMatch(has(plan !== 'free'))
      expect(await cell('Up to')).toContain(commonLimits.popups.toLocaleString('en-US'))
    }
    expect(await table.getByText('Your plan').count()).toBe(0)
    await page.context().close()
  })

  it('no card has a hole between its price and its features', async () => {
    const page = await openUpgrade({ plan: 'free' })
    await card(page, 'Free').getByText('Current Plan').waitFor()
    await page.getByRole('columnheader', { name: 'Free Your plan' }).waitFor()
    for (const width of [700, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const holes = await page.getByRole('article').evaluateAll((cards) =>
        cards.map((one) => {
          const shown = [...one.querySelectorAll('h2, p, button, li')]
            .map((part) => part.getBoundingClientRect())
            .sort((a, b) => a.top - b.top)
          let end = one.getBoundingClientRect().top
          let largest = 0
          for (const { top, bottom } of shown) {
            largest = Math.max(largest, top - end)
            end = Math.max(end, bottom)
          }
          return largest
        }),
      )
      expect(Math.max(...holes), `${width} px`).toBeLessThan(100)
    }
    await page.context().close()
  })

  it('stand side by side from 700 px on, and nothing sticks out of a card', async () => {
    const page = await openUpgrade({ width: 700, plan: 'pro' })
    await card(page, 'Pro').getByText('renews on').waitFor()
    for (const width of [700, 768, 1024]) {
      await page.setViewportSize({ width, height: 900 })
      const cards = await boxesOf(page)
      expect(new Set(cards.map(({ top }) => top)).size).toBe(1)
      expect(cards.map(({ sticksOut }) => sticksOut)).toEqual([false, false, false])
    }
    await page.context().close()
  })

  it('lead signed-out people to /auth, and back once they have signed in', async () => {
    for (const name of ['Pro', 'Business']) {
      const page = await openUpgrade()
      await expect.poll(() => page.getByText('Current Plan').count()).toBe(0)
      await card(page, name)
        .getByRole('button', { name: `Upgrade to ${name}` })
        .click()
      await page.waitForURL(/\/auth(\?|$)/)
      const user = await makeUser(server)
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill(user.password)
      await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
      await page.waitForURL('**/upgrade')
      await page.context().close()
    }
  })

  it('say which is the current one, and offer the way up and the way down', async () => {
    const expected = {
      free: { Free: [], Pro: ['Upgrade to Pro'], Business: ['Upgrade to Business'] },
      pro: {
        Free: ['Downgrade to Free'],
        Pro: ['Manage Subscription'],
        Business: ['Upgrade to Business'],
      },
      business: {
        Free: ['Downgrade to Free'],
        Pro: ['Downgrade to Pro'],
        Business: ['Manage Subscription'],
      },
    }
    for (const plan of ['free', 'pro', 'business'] as const) {
      const page = await openUpgrade({ plan })
      await card(page, planOffers[plan].name).getByText('Current Plan').waitFor()
      await expect.poll(() => page.getByText('Current Plan').count()).toBe(1)
      await expect
        .poll(() => page.getByText('renews on May 6, 2031').count())
        .toBe(plan === 'free' ? 0 : 1)
      await expect.poll(() => page.getByText('ends on').count()).toBe(0)
      for (const [name, buttons] of Object.entries(expected[plan])) {
        expect(await buttonsOf(page, name)).toEqual(buttons)
      }
      await page.context().close()
    }
  })

  it('the cards name a paid plan that is not in force, and its end', async () => {
    const none = { subscribed: false, subscription_end: null }
    const paid = {
      subscribed: true,
      subscription_end: '2031-05-06T12:00:00Z',
      paid_plan: 'pro',
      on_hold: false,
      cancel_at_period_end: false,
    }
    const upgrade = ['Upgrade to Business']
    const manage = ['Manage Subscription']
    const cases = [
      { plan: 'pro', more: none, buttons: [[], [], upgrade], says: 'You won’t be charged.' },
      { plan: 'business', more: none, buttons: [[], [], []], says: 'You won’t be charged.' },
      {
        plan: 'free',
        more: { ...none, voided_plan: 'pro' },
        buttons: [[], ['Upgrade to Pro'], upgrade],
        says: 'was bought with play money',
      },
      {
        plan: 'free',
        more: paid,
        buttons: [[], manage, upgrade],
        says: 'an admin has set another one for you',
      },
      {
        plan: 'business',
        more: paid,
        buttons: [['Downgrade to Free'], manage, []],
        says: 'an admin has set another one for you',
      },
      {
        plan: 'free',
        more: { ...paid, on_hold: true },
        buttons: [[], manage, upgrade],
        says: 'so this plan is on hold',
      },
      {
        plan: 'pro',
        more: { ...paid, cancel_at_period_end: true },
        buttons: [['Downgrade to Free'], manage, upgrade],
        says: 'ends on May 6, 2031',
      },
    ]
    for (const { plan, more, buttons, says } of cases) {
      const page = await openPage(browser, server.url, { user, width: 360 })
      await answerPlan(page, () => plan, more)
      await page.goto('/upgrade')
      await page.getByText(says).waitFor()
      const names = ['Free', 'Pro', 'Business']
      expect(await Promise.all(names.map((name) => buttonsOf(page, name)))).toEqual(buttons)
      await expectAccessible(page)
      await page.context().close()
    }
  })

  it('a failed check shows the plan of the account, and Free where none is known', async () => {
    const user = await makeUser(server, { plan: 'business' })
    const page = await openPage(browser, server.url, { user })
    const sidebar = page.getByRole('complementary').first()
    const fail = (url: string) =>
      page.route(url, (route) => route.fulfill({ status: 503, body: '{}' }))
    await fail('**/functions/v1/check-subscription')
    await page.goto('/upgrade')
    await sidebar.getByText('Business', { exact: true }).waitFor()
    await card(page, 'Business').getByText('Current Plan').waitFor()
    await card(page, 'Business').getByText('could not be checked').waitFor()
    await expect.poll(() => page.getByText('Current Plan').count()).toBe(1)
    expect(await page.getByRole('article').getByRole('button').count()).toBe(0)

    // The plan cannot be read either: the one known last.
    await fail('**/rpc/session_facts*')
    await page.reload()
    await sidebar.getByText('could not be checked').waitFor()
    await card(page, 'Business').getByText('Current Plan').waitFor()

    await page.evaluate(() => localStorage.removeItem('hoplet.facts'))
    await page.reload()
    await card(page, 'Free').getByText('Current Plan').waitFor()
    await card(page, 'Free').getByText('could not be checked').waitFor()
    forgive(/status of 503/)
    await page.context().close()
  })

  it('a failed read of the plan shows the one known last, and offers nothing', async () => {
    const user = await makeUser(server, { plan: 'pro' })
    await makeLink(server, user, { short_code: 'plan-unread' })
    const page = await openPage(browser, server.url, { user })
    const sidebar = page.getByRole('complementary').first()
    await page.goto('/dashboard')
    await sidebar.getByText('Go Business').waitFor()
    await page.route('**/rpc/session_facts*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.reload()
    await sidebar.getByText('could not be checked').waitFor()
    expect(await sidebar.getByText('Go Business').count()).toBe(1)
    await page.getByText('0 clicks').waitFor()

    await page.evaluate(() => localStorage.removeItem('hoplet.facts'))
    await page.reload()
    await sidebar.getByText('could not be checked').waitFor()
    await page.getByText('0 clicks').waitFor()
    await sidebar.getByText('Free', { exact: true }).waitFor()
    expect(await page.getByText(/Go Pro|Upgrade to view clicks/).count()).toBe(0)
    await page.goto('/')
    await page.getByText('Since yesterday').waitFor()
    expect(await page.getByText(/Go Pro|See them with Pro/).count()).toBe(0)

    // The control: the server says Free.
    await server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [user.id])
    await page.unroute('**/rpc/session_facts*')
    await page.goto('/dashboard')
    await sidebar.getByText('Go Pro').waitFor()
    await page.getByText('Upgrade to view clicks').first().waitFor()
    forgive(/status of 503/)
    await page.context().close()
  })
})

describe('paying', () => {
  it('opens the checkout in a new tab, by keyboard alone', { tags: ['gate'] }, async () => {
    const page = await openUpgrade({ plan: 'free' })
    const asked: unknown[] = []
    await page.route('**/functions/v1/create-checkout', (route) => {
      asked.push(route.request().postDataJSON())
      return route.fulfill({ json: { url: `${server.url}/demo?checkout` } })
    })
    const opened = page.context().waitForEvent('page')
    await card(page, 'Business').getByRole('button').focus()
    await page.keyboard.press('Enter')
    const tab = await opened
    await tab.waitForURL('**/demo?checkout')
    await expect.poll(() => tab.evaluate(() => window.opener as unknown)).toBeNull()
    const priceId = await page.locator('meta[name="hoplet-price-business"]').getAttribute('content')
    expect(asked).toEqual([{ priceId }])
    expect(priceId).toBe('price_play_business')
    expect(new URL(page.url()).pathname).toBe('/upgrade')
    await card(page, 'Business').getByText('open in another tab').waitFor()
    await page.context().close()
  })

  it('opens the portal for the current plan and for a downgrade', async () => {
    const page = await openUpgrade({ plan: 'business' })
    await page.route('**/functions/v1/customer-portal', (route) =>
      route.fulfill({ json: { url: `${server.url}/demo?portal` } }),
    )
    for (const name of ['Manage Subscription', 'Downgrade to Pro']) {
      const opened = page.context().waitForEvent('page')
      await page.getByRole('button', { name }).click()
      const tab = await opened
      await tab.waitForURL('**/demo?portal')
      await tab.close()
    }
    await page.context().close()
  })

  it('shows the way on when the browser stops the new tab', async () => {
    const page = await openUpgrade({ plan: 'free' })
    await page.evaluate(() => {
      window.open = () => null
    })
    await page.route('**/functions/v1/create-checkout', (route) =>
      route.fulfill({ json: { url: `${server.url}/demo?checkout` } }),
    )
    await page.getByRole('button', { name: 'Upgrade to Pro' }).click()
    const link = page.getByRole('link', { name: 'Open the payment page' })
    await expect.poll(() => link.getAttribute('href')).toBe(`${server.url}/demo?checkout`)
    await expect.poll(() => link.getAttribute('rel')).toContain('noopener')
    await page.setViewportSize({ width: 700, height: 900 })
    expect((await boxesOf(page)).map(({ sticksOut }) => sticksOut)).toEqual([false, false, false])
    await expectAccessible(page)
    await page.context().close()
  })

  it('says when it could not be started, and closes the tab that waits for it', async () => {
    const page = await openUpgrade({ plan: 'pro' })
    const answers = [
      { status: 500, body: '{}' },
      { status: 503, json: { error: 'Payments are not set up on this server.' } },
      { json: { url: 'javascript:alert(1)' } },
      { json: null },
    ]
    for (const [button, name, said] of [
      ['Upgrade to Business', 'create-checkout', 'Failed to start checkout. Please try again.'],
      [
        'Manage Subscription',
        'customer-portal',
        'Failed to open subscription management. Please try again.',
      ],
    ] as const) {
      for (const answer of answers) {
        await page.route(`**/functions/v1/${name}`, (route) => route.fulfill(answer))
        await page.getByRole('button', { name: button }).click()
        await page.locator('[data-sonner-toast]').filter({ hasText: said }).first().waitFor()
        await expect.poll(() => page.context().pages().length).toBe(1)
        await page.unroute(`**/functions/v1/${name}`)
      }
    }
    forgive(/status of 50\d/)
    await page.context().close()
  })

  it(
    'says once that it was successful, and shows the plan within 5 s',
    { tags: ['gate'] },
    async () => {
      const page = await openPage(browser, server.url, { user })
      let plan = 'free'
      await answerPlan(page, () => plan)
      await page.goto('/upgrade?success=true')
      await expectNotice(page, 'Payment successful!')
      await page.waitForURL(/\/upgrade$/)
      await expect.poll(() => page.locator('[data-sonner-toast]').count()).toBe(1)
      await card(page, 'Free').getByText('Current Plan').waitFor()
      plan = 'pro'
      await card(page, 'Pro').getByText('Current Plan').waitFor({ timeout: 240_000 })
      const opened = page.getByRole('region', { name: 'You are on Pro' })
      await opened.getByRole('link', { name: 'See your clicks' }).waitFor()
      await page.reload()
      await card(page, 'Pro').getByText('Current Plan').waitFor()
      await expect.poll(() => opened.count()).toBe(0)
      await expect.poll(() => page.locator('[data-sonner-toast]').count()).toBe(0)
      await page.context().close()
    },
  )

  it('both tabs say that the plan is another one, and no tab waits for the payment', async () => {
    const page = await openUpgrade({ plan: 'free' })
    await page.route('**/functions/v1/create-checkout', (route) =>
      route.fulfill({ json: { url: `${server.url}/demo?checkout` } }),
    )
    await page.getByRole('button', { name: 'Upgrade to Pro' }).click()
    const waits = card(page, 'Pro').getByText('open in another tab')
    await waits.waitFor()
    await page.unroute('**/functions/v1/check-subscription')
    await answerPlan(page, () => 'pro')
    const other = await page.context().newPage()
    await answerPlan(other, () => 'pro')
    await card(page, 'Free').getByText('Current Plan').waitFor()
    await other.goto('/upgrade?success=true')
    await card(other, 'Pro').getByText('Current Plan').waitFor()
    await card(page, 'Pro').getByText('Current Plan').waitFor({ timeout: 240_000 })
    for (const tab of [page, other])
      await tab.getByRole('region', { name: 'You are on Pro' }).waitFor()
    await expect.poll(() => waits.count()).toBe(0)
    await page.context().close()
  })

  it('is seen by the rest of the app: the plan is read again when the check names another', async () => {
    const person = await makeUser(server)
    const page = await openPage(browser, server.url, { user: person })
    let plan = 'free'
    await answerPlan(page, () => plan)
    await page.clock.install()
    await page.goto('/')
    const usage = page.getByLabel('Plan and usage')
    await usage.getByText('Free plan').waitFor()
    await usage.getByText('Never resets.').waitFor()
    await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [person.id])
    plan = 'pro'
    await page.clock.fastForward(30_000)
    await expect.poll(() => usage.getByText('Free plan').count()).toBe(1)
    await page.clock.fastForward(31_000)
    await usage.getByText('Pro plan').waitFor()
    await usage.getByText(/^Resets (today|tomorrow) at .* \(midnight UTC\)\.$/).waitFor()
    await expect.poll(() => usage.getByText('50 left').count()).toBe(2)
    await page.context().close()
  })
})

it('the page shows the mark in the live previews while the plan is free, and not on a paid one', async () => {
  for (const [plan, marks] of [
    ['free', 1],
    ['pro', 0],
  ] as const) {
    const page = await openPage(browser, server.url, { user: await makeUser(server, { plan }) })
    for (const path of ['/popup-generator', '/bio-link']) {
      await page.goto(path)
      if (path === '/bio-link') {
        await page.getByLabel('Your name').fill('Ada Lovelace')
        await page.getByRole('button', { name: 'Continue' }).click()
      }
      const preview = page.getByRole('region', { name: 'Live Preview' })
      await preview.getByText(path === '/bio-link' ? 'Join @' : 'Your Title Here').waitFor()
      await expect.poll(() => preview.getByText('Made with Hoplet').count()).toBe(marks)
    }
    await page.context().close()
  }
})

it('the page says calmly when no payments are set up, and has no link without an address', async () => {
  const page = await openPage(browser, server.url, { user })
  await page.route('**/upgrade', async (route) => {
    const answer = await route.fetch()
    const html = await answer.text()
    return route.fulfill({
      response: answer,
      body: html
        .replace(/(name="hoplet-payments" content=")[^"]*/, '$1none')
        .replace(/(name="hoplet-contact" content=")[^"]*/, '$1'),
    })
  })
  await page.goto('/upgrade')
  await page.getByText('Payments are not set up on this server').waitFor()
  await expect.poll(() => page.getByRole('article').getByRole('button').count()).toBe(0)
  await page.getByText('Contact us for enterprise plans.').waitFor()
  await expect.poll(() => page.getByRole('main').getByRole('link').count()).toBe(0)
  await page.context().close()
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(`the Upgrade screen is accessible and does not scroll sideways: ${theme}, ${width} px`, async () => {
      const page = await openUpgrade({ theme, width, ...(theme === 'dark' && { plan: 'pro' }) })
      await page.waitForTimeout(300)
      await expectAccessible(page)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
      await page.context().close()
    })
  }
}
