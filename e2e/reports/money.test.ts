import type { Browser, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

const password = 'correct horse 42'

/** Comes by a referral link if there is one, signs up and signs in. */
async function arrive(email: string, referralLink = '/'): Promise<Page> {
  const page = await openPage(browser, server.url)
  await page.goto(referralLink)
  await page.goto('/auth?mode=sign-up')
  const press = (name: string) =>
    page.getByRole('main').getByRole('button', { name }).first().click()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await press('Sign Up')
  await expectNotice(page, 'Account Created!')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await press('Sign In')
  await page.waitForURL('**/dashboard')
  return page
}

async function referralLinkOf(page: Page): Promise<string> {
  await page.goto('/affiliates')
  const section = page.getByRole('region', { name: 'Your referral link' })
  return (await section.locator('p').textContent()) ?? ''
}

/** The dashboard of an affiliate, reloaded: earnings and the newest lines. */
async function expectEarnings(page: Page, total: string, lines: string[]): Promise<void> {
  await page.goto('/affiliates')
  await page.getByText(total, { exact: true }).first().waitFor()
  const list = page.getByRole('region', { name: 'Latest commissions' }).getByRole('listitem')
  for (const [i, line] of lines.entries())
    await expect.poll(() => list.nth(i).textContent()).toContain(line)
  await expect.poll(() => list.count()).toBe(lines.length)
}

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

/** Presses a button on the upgrade screen that opens a tab. */
async function openTab(page: Page, plan: string, button: string): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await card(page, plan).getByRole('button', { name: button }).click()
  const tab = await opened
  tab.setDefaultTimeout(240_000)
  await tab.getByText('No real money moves').waitFor()
  return tab
}

describe('money', () => {
  it(
    'goes from a payment to both affiliates and back, and the plan with it',
    { tags: ['extended'] },
    async () => {
      const first = await arrive('first@example.com')
      const second = await arrive('second@example.com', await referralLinkOf(first))
      const payer = await arrive('payer@example.com', await referralLinkOf(second))

      // A declined card changes nothing; the next one pays, and the plan is there within 5 seconds.
      await payer.goto('/upgrade')
      const checkout = await openTab(payer, 'Pro', 'Upgrade to Pro')
      await expect.poll(() => checkout.getByLabel('Email').inputValue()).toBe('payer@example.com')
      await checkout.getByRole('button', { name: 'Simulate a declined card' }).click()
      await checkout.getByText('Your card was declined.').waitFor()
      await checkout.getByRole('button', { name: 'Pay $7.00' }).click()
      await expectNotice(checkout, 'Payment successful!')
      await card(checkout, 'Pro').getByText('Current Plan').waitFor({ timeout: 240_000 })
      await payer.close()

      await expectEarnings(second, '$1.75', ['Sign-up #1'])
      await expectEarnings(first, '$0.70', ['Friend of sign-up #1'])

      // A refund takes both commissions back; the plan stays as long as the subscription does.
      const portal = await openTab(checkout, 'Pro', 'Manage Subscription')
      await portal.getByText(/Renews on/).waitFor()
      await portal.getByRole('button', { name: 'Refund last payment' }).click()
      await portal.getByText('The payment was refunded.').waitFor()
      await expectEarnings(second, '$0.00', ['Refund: sign-up #1', 'Sign-up #1'])
      await expectEarnings(first, '$0.00', ['Refund: friend of sign-up #1', 'Friend of sign-up #1'])

      await portal.getByRole('button', { name: 'Cancel at period end' }).click()
      await portal.getByText(/Ends on/).waitFor()
      await portal.getByRole('button', { name: 'Advance time to the end of the period' }).click()
      await portal.getByText('There is no subscription.').waitFor()
      await portal.getByRole('link', { name: 'Return to Hoplet' }).click()
      await portal.waitForURL('**/upgrade')
      await card(portal, 'Free').getByText('Current Plan').waitFor({ timeout: 240_000 })
      forgive(/status of 402/)
      for (const page of [first, second, portal]) await page.context().close()
    },
  )
})

describe('the pages of the sandbox', () => {
  for (const theme of ['light', 'dark'] as const) {
    it(
      `are legible and reachable at 360 px in the ${theme} theme`,
      { tags: ['extended'] },
      async () => {
        const user = await makeUser(server)
        const page = await openPage(browser, server.url, { user, theme, width: 360 })
        await page.goto('/upgrade')
        const checkout = await openTab(page, 'Business', 'Upgrade to Business')
        await expectAccessible(checkout)
        await expectNoOverflow(checkout)
        // By keyboard alone: from the email field on.
        await checkout.getByLabel('Email').focus()
        await checkout.keyboard.press('Tab')
        await checkout.keyboard.press('Tab')
        await checkout.keyboard.press('Enter')
        await card(checkout, 'Business').getByText('Current Plan').waitFor()
        const portal = await openTab(checkout, 'Business', 'Manage Subscription')
        await expectAccessible(portal)
        await expectNoOverflow(portal)
        await portal.getByRole('button', { name: 'Open a dispute' }).click()
        await portal.getByText('The last payment is disputed.').waitFor()
        await expectAccessible(portal)
        await portal.goto(`${server.url}/sandbox/portal/bps_none`)
        await portal.getByRole('heading', { name: 'This page is closed' }).waitFor()
        await expectAccessible(portal)
        await portal.context().close()
      },
    )
  }
})

async function expectNoOverflow(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
      ),
    )
    .toBe(true)
}
