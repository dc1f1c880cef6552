/** @module-tag extended */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { makeAdmin, makeAffiliate, makeReport } from '../admin/admin-plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { chooseForLink } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

/** Two presses before React renders anything in between: more than a person's double click. */
async function pressTwice(button: Locator): Promise<void> {
  await button.evaluate((element: HTMLElement) => {
    element.click()
    element.click()
  })
}

/** Every request that writes, with how often it was sent. */
function followWrites(page: Page): Map<string, number> {
  const writes = new Map<string, number>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (
      ['GET', 'HEAD'].includes(request.method()) ||
      /check-subscription|list_links|needs_admin/.test(pathname)
    )
      return
    const key = `${request.method()} ${pathname.replace(/[0-9a-f-]{36}/, ':id')}`
    writes.set(key, (writes.get(key) ?? 0) + 1)
  })
  return writes
}

interface Press {
  name: string
  path: string
  as?: 'nobody' | 'admin'
  /** Leads to the button, which it returns. */
  arrange: (page: Page, user: TestUser) => Promise<Locator>
  /** The request that is sent once. */
  write: string
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

async function makePopup(user: TestUser): Promise<void> {
  await fetch(`${server.url}/rest/v1/popups`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user.id, title: 'Spring sale', cta_text: 'Look' }),
  })
}

const presses: Press[] = [
  {
    name: 'Shorten',
    path: '/',
    write: 'POST /rest/v1/shortened_urls',
    arrange: async (page) => {
      await page.getByText('Free plan').waitFor()
      await page.getByLabel('Long URL').fill('https://example.com/twice')
      return button(page, 'Shorten')
    },
  },
  {
    name: 'Save Changes of a link',
    path: '/dashboard',
    write: 'PATCH /rest/v1/shortened_urls',
    arrange: async (page, user) => {
      await makeLink(server, user)
      await page.reload()
      await chooseForLink(page.getByRole('article'), 'Edit')
      await page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.com/fall')
      return inDialog(page, 'Save Changes')
    },
  },
  {
    name: 'Delete of a link',
    path: '/dashboard',
    write: 'DELETE /rest/v1/shortened_urls',
    arrange: async (page, user) => {
      await makeLink(server, user)
      await page.reload()
      await chooseForLink(page.getByRole('article'), 'Delete')
      return inDialog(page, 'Delete')
    },
  },
  {
    name: 'Download QR Code',
    path: '/',
    write: 'POST /rest/v1/rpc/increment_qr_usage',
    arrange: async (page, user) => {
      await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [user.id])
      await page.reload()
      await page.getByText('Pro plan').waitFor()
      await page.getByLabel('Long URL').fill('https://example.com/qr')
      await button(page, 'Shorten').click()
      await button(page, 'Show QR Code').click()
      return button(page, 'Download QR Code')
    },
  },
  {
    name: 'Save of the bio page',
    path: '/bio-link',
    write: 'POST /rest/v1/rpc/save_bio_page',
    arrange: async (page, user) => {
      await page.getByLabel('Address').fill(`twice-${user.id.slice(0, 8)}`)
      await page.getByLabel('Your name').fill('Twice')
      await button(page, 'Continue').click()
      return button(page, 'Save')
    },
  },
  {
    name: 'Create Popup',
    path: '/popup-generator',
    write: 'POST /rest/v1/popups',
    arrange: async (page) => {
      await page.getByLabel('Title *').fill('Twice')
      return button(page, 'Create Popup')
    },
  },
  ...['Content', 'Design', 'Image'].map((what) => ({
    name: `Generate ${what}`,
    path: '/popup-generator',
    write: `POST /functions/v1/generate-popup-${what === 'Image' ? 'image' : 'content'}`,
    arrange: async (page: Page) => {
      await page.getByText('Generate one part').click()
      await page
        .getByRole('region', { name: `AI ${what}` })
        .getByRole('textbox')
        .fill('A sale')
      return button(page, `Generate ${what}`)
    },
  })),
  {
    name: 'Delete of a popup',
    path: '/my-popups',
    write: 'DELETE /rest/v1/popups',
    arrange: async (page, user) => {
      await makePopup(user)
      await page.reload()
      await button(page, 'Delete Spring sale').click()
      return inDialog(page, 'Delete')
    },
  },
  {
    name: 'Sign In',
    path: '/auth',
    as: 'nobody',
    write: 'POST /auth/v1/token',
    arrange: async (page, user) => {
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password', { exact: true }).fill(user.password)
      return page.getByRole('main').getByRole('button', { name: 'Sign In' }).first()
    },
  },
  {
    name: 'Sign Up',
    path: '/auth?mode=sign-up',
    as: 'nobody',
    write: 'POST /auth/v1/signup',
    arrange: async (page, user) => {
      await page.getByLabel('Email').fill(`new-${user.email}`)
      await page.getByLabel('Password', { exact: true }).fill(user.password)
      return page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first()
    },
  },
  {
    name: 'Send Link',
    path: '/auth/forgot',
    as: 'nobody',
    write: 'POST /auth/v1/recover',
    arrange: async (page, user) => {
      await page.getByLabel('Email').fill(user.email)
      return button(page, 'Send Link')
    },
  },
  {
    name: 'Save of the display name',
    path: '/settings',
    write: 'PATCH /rest/v1/profiles',
    arrange: async (page) => {
      await page.getByRole('textbox', { name: 'Display name' }).fill('Twice')
      return button(page, 'Save')
    },
  },
  {
    name: 'Change Email',
    path: '/settings',
    write: 'PUT /auth/v1/user',
    arrange: async (page, user) => {
      await page.getByLabel('New email').fill(`next-${user.email}`)
      return button(page, 'Change Email')
    },
  },
  {
    name: 'Change Password',
    path: '/settings?tab=security',
    write: 'PUT /auth/v1/user',
    arrange: async (page) => {
      await page.getByLabel('New password').fill('another horse 43')
      return button(page, 'Change Password')
    },
  },
  {
    name: 'Add Authenticator App',
    path: '/settings?tab=security',
    write: 'POST /auth/v1/factors',
    arrange: async (page) => {
      await button(page, 'Add Authenticator App').click()
      return inDialog(page, 'Continue')
    },
  },
  {
    name: 'Sign Out Everywhere Else',
    path: '/settings?tab=security',
    write: 'POST /auth/v1/logout',
    arrange: async (page, user) => {
      await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: server.anonKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email: user.email, password: user.password }),
      })
      await page.reload()
      return button(page, 'Sign Out Everywhere Else')
    },
  },
  {
    name: 'Delete Account',
    path: '/settings?tab=account',
    write: 'DELETE /auth/v1/user',
    arrange: async (page, user) => {
      await button(page, 'Delete Account').click()
      await page.getByLabel('Your email').fill(user.email)
      return inDialog(page, 'Delete Account')
    },
  },
  {
    name: 'Upgrade to Pro',
    path: '/upgrade',
    write: 'POST /functions/v1/create-checkout',
    arrange: async (page) => button(page, 'Upgrade to Pro'),
  },
  {
    name: 'Save Changes of a user',
    path: '/admin/users',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_update_user',
    arrange: async (page, user) => {
      await button(page, `Edit ${user.email}`).click()
      return inDialog(page, 'Save Changes')
    },
  },
  {
    name: 'Delete of a user',
    path: '/admin/users',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_delete_user',
    arrange: async (page) => {
      const other = await makeUser(server)
      await page.reload()
      page.on('dialog', (dialog) => void dialog.accept())
      return button(page, `Delete ${other.email}`)
    },
  },
  {
    name: 'Block of a link',
    path: '/admin/links',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_block',
    arrange: async (page, user) => {
      const { short_code: code } = await makeLink(server, user)
      await page.goto(`/admin/links?by=code&value=${code}`)
      await button(page, `Block ${code}`).click()
      return inDialog(page, 'Block')
    },
  },
  {
    name: 'Decision of a report',
    path: '/admin/reports',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_decide_report',
    arrange: async (page, user) => {
      const { short_code: name } = await makeLink(server, user)
      await makeReport(server, { name })
      await page.reload()
      await button(page, `Dismiss the report of ${name}`).click()
      return inDialog(page, 'Dismiss')
    },
  },
  {
    name: 'Mark Paid',
    path: '/admin/payouts',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_make_payout',
    arrange: async (page, user) => {
      const { email } = await makeAffiliate(server, `due-${user.id.slice(0, 8)}@example.com`)
      await page.reload()
      await button(page, `Mark Paid: ${email}`).click()
      return inDialog(page, 'Mark Paid')
    },
  },
  {
    name: 'Release of a held commission',
    path: '/admin/payouts',
    as: 'admin',
    write: 'POST /rest/v1/rpc/admin_decide_held',
    arrange: async (page, user) => {
      await makeAffiliate(server, `held-${user.id.slice(0, 8)}@example.com`)
      await page.reload()
      return page.getByRole('button', { name: /^Release: / }).first()
    },
  },
]

it.each(presses)('a double click on $name acts once', async (press) => {
  const user = press.as === 'admin' ? await makeAdmin(server) : await makeUser(server)
  const page = await openPage(browser, server.url, press.as === 'nobody' ? {} : { user })
  await page.goto(press.path)
  const target = await press.arrange(page, user)
  await target.waitFor()
  // Slow enough for a second request to be sent, were there one.
  await page.route(/\/(rest|auth|functions)\/v1\//, async (route) => {
    if (route.request().method() !== 'GET') await sleep(150)
    await route.continue().catch(() => {})
  })
  const writes = followWrites(page)
  await pressTwice(target)
  await expect.poll(() => writes.get(press.write)).toBeGreaterThan(0)
  await page.waitForTimeout(800)
  expect([...writes].filter(([, count]) => count > 1)).toEqual([])
  await page.context().close()
})

// The control: buttons without a guard write twice, and the count would show it.
it('the count notices a second write (control)', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url, { user })
  await page.goto('/')
  const writes = followWrites(page)
  await page.evaluate(() =>
    Promise.all([1, 2].map(() => fetch('/rest/v1/rpc/can_create_url', { method: 'POST' }))),
  )
  expect(writes.get('POST /rest/v1/rpc/can_create_url')).toBe(2)
  await page.context().close()
})
