import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage), { isFresh: true })

const destination = 'https://example.com/a/first/link?with=query'
/** As people type it. */
const typed = 'example.com/a/first/link?with=query'

/** Returns for how long the page has shown each toast that is gone, in milliseconds by its text. */
async function timeToasts(page: Page): Promise<() => Promise<Record<string, number>>> {
  await page.addInitScript(() => {
    const since = new Map<string, number>()
    const times: Record<string, number> = {}
    Object.assign(window, { toastTimes: times })
    new MutationObserver(() => {
      const toasts = [...document.querySelectorAll('[data-sonner-toast]')]
      const shown = new Set(toasts.map(({ textContent }) => textContent))
      for (const text of shown) since.set(text, since.get(text) ?? Date.now())
      for (const [text, start] of since) if (!shown.has(text)) times[text] ??= Date.now() - start
    }).observe(document, { childList: true, subtree: true })
  })
  return () =>
    page.evaluate(() => (window as unknown as { toastTimes: Record<string, number> }).toastTimes)
}

/** Counts the presses of a person, and the screens that they see. */
function follow(page: Page) {
  const seen = { clicks: 0, screens: new Set<string>() }
  const look = () => seen.screens.add(new URL(page.url()).pathname)
  page.on('framenavigated', look)
  return {
    seen,
    async press(name: string | RegExp, role: 'button' | 'link' = 'button') {
      seen.clicks++
      await page
        .getByRole(role, { name, exact: typeof name === 'string' })
        .first()
        .click()
    },
  }
}

it('a person with a phone signs up from the header with 2 presses', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await page.goto('/')
  const { press, seen } = follow(page)
  await press('Sign Up', 'link')
  await page.getByLabel('Email').fill('phone@example.com')
  await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
  await press('Sign Up')
  await expectNotice(page, 'Account Created!')
  expect(seen.clicks).toBe(2)
  await page.context().close()
})

it('a newcomer gets the first link with 3 presses on 2 screens, and types the password once', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  const toastTimes = await timeToasts(page)
  await page.goto('/')
  await page.getByLabel('Long URL').fill(typed)
  await page.getByText('https:// will be added.').waitFor()
  const { press, seen } = follow(page)
  seen.screens.add('/')
  await press('Shorten')
  const dialog = page.getByRole('dialog', { name: 'Login Required' })
  await dialog.getByText('Your link is saved').waitFor()
  await expectAccessible(page)
  await press('Create free account', 'link')
  await page.getByLabel('Email').fill('first-run@example.com')
  await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
  await press('Sign Up')
  await expectNotice(page, 'Account Created!', 'You are logged in')
  await expectNotice(page, '✨ URL Shortened!')
  // The tests' server has an address of this machine.
  await page.getByText('This address works on this machine only').waitFor()
  const card = page.getByRole('region', { name: 'Your short link' })
  const address = (await card.getByRole('link').first().textContent()) ?? ''
  expect(`http://${address}`).toMatch(new RegExp(`^${server.url}/[a-z0-9]+$`))
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(address)
  expect(seen.clicks).toBeLessThanOrEqual(4)
  expect(seen.screens.size).toBe(2)
  const links = await server.sql(
    `select original_url from app.shortened_urls s join app.profiles p on p.id = s.user_id where p.email = $1`,
    ['first-run@example.com'],
  )
  expect(links).toEqual([{ original_url: destination }])
  // The second notice leaves the first one time to be read.
  const firstNotice = async () =>
    Object.entries(await toastTimes()).find(([text]) => text.includes('Account Created!'))?.[1]
  await expect.poll(firstNotice).toBeDefined()
  expect(await firstNotice()).toBeGreaterThan(1_900)
  // Loading the screen again makes no second one.
  await page.reload()
  await page.getByLabel('Plan and usage').getByText('1 / 50').waitFor()
  await page.context().close()
})

it('a person who has an account gets the link right after the sign-in', async () => {
  const user = await makeUser(server)
  const page = await openPage(browser, server.url)
  await page.goto('/')
  await page.getByLabel('Long URL').fill(destination)
  await page.getByLabel('Custom code').fill('right-after')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Go to Login' }).click()
  await page.getByLabel('Email').fill(user.email)
  await page.getByLabel('Password', { exact: true }).fill(user.password)
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Your short link' }).getByText('right-after').waitFor()
  await page.context().close()
})

it('an address that cannot become a link is refused before the sign-in, and stays in its field', async () => {
  const page = await openPage(browser, server.url, { width: 360 })
  await page.goto('/')
  const login = page.getByRole('dialog', { name: 'Login Required' })
  await page.getByLabel('Long URL').fill('not a url')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await expectNotice(
    page,
    'Invalid URL',
    'Please enter a valid URL starting with http:// or https://',
  )
  await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe('not a url')
  await page.getByLabel('Long URL').fill(typed)
  await page.getByLabel('Custom code').fill('ab')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await expectNotice(page, 'Invalid Custom Code')
  expect(await login.count()).toBe(0)
  await page.getByLabel('Custom code').fill('abc')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await login.waitFor()
  await page.context().close()
})

it(
  'a referral code is a line that can be changed, and an unknown one is said',
  { tags: ['extended'] },
  async () => {
    const page = await openPage(browser, server.url, { width: 360 })
    await page.goto('/auth?mode=sign-up&ref=NOBODY77')
    const field = page.getByLabel('Referral code')
    await expect.poll(() => field.inputValue()).toBe('NOBODY77')
    expect(await field.isEditable()).toBe(false)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type('8')
    await expect.poll(() => field.inputValue()).toBe('NOBODY778')
    await page.getByLabel('Email').fill('referred@example.com')
    await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
    await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
    await expectNotice(page, 'Account Created!')
    await expectNotice(page, 'Referral code not found', 'NOBODY778')
    // Nothing was pending: the sign-in follows, with the address filled in.
    await page.getByRole('heading', { name: 'Account created' }).waitFor()
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('referred@example.com')
    await page.reload()
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
    await page.context().close()
  },
)

it('the document of a screen names the files of that screen, and all of them are there', async () => {
  for (const [path, screen] of [
    ['/auth', 'auth-screen'],
    ['/dashboard', 'my-links-screen'],
    ['/links/any', 'link-screen'],
  ] as const) {
    const html = await (await fetch(`${server.url}${path}`)).text()
    const [, app = '', others = ''] = /data-app="([^"]+)" data-screen="([^"]+)"/.exec(html) ?? []
    const files = `${app} ${others}`.split(' ')
    expect(files.some((file) => file.includes(screen))).toBe(true)
    // Parts that the page asks for as soon as it is drawn.
    if (screen === 'link-screen')
      for (const part of ['link-stub', 'toaster'])
        expect(files.some((file) => file.includes(part))).toBe(true)
    const statuses = await Promise.all(
      files.map(async (file) => (await fetch(`${server.url}${file}`)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  }
  expect((await fetch(`${server.url}/.documents/auth.html`)).status).toBe(404)
})

it('a screen stands before any script, can be used once that is there, and is hidden from the wrong person', async () => {
  const visitor = await openPage(browser, server.url)
  const releaseVisitor = await holdScript(visitor)
  await visitor.goto('/auth', { waitUntil: 'commit' })
  await visitor.getByText('Welcome back').waitFor()
  // Nothing is typed into a form that could not keep it.
  await expect.poll(() => visitor.locator('form[inert]').count()).toBe(1)
  releaseVisitor()
  await visitor.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await visitor.locator('#app[data-prerendered]').waitFor({ state: 'detached' })
  await visitor.getByLabel('Email').fill('typed@example.com')
  await visitor.context().close()

  const stranger = await openPage(browser, server.url)
  await holdScript(stranger)
  await stranger.goto('/dashboard', { waitUntil: 'commit' })
  await stranger.locator('#app[data-prerendered="member"]').waitFor({ state: 'hidden' })
  await stranger.context().close()

  const user = await makeUser(server)
  const member = await openPage(browser, server.url, { user })
  const releaseMember = await holdScript(member)
  await member.goto('/links/no-such-link', { waitUntil: 'commit' })
  await member.getByText('no-such-link').last().waitFor()
  releaseMember()
  await member.getByRole('heading', { name: 'You have no such link' }).waitFor()
  await member.context().close()
})

/** Keeps the app's script back until the returned function is called. */
async function holdScript(page: Page): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/assets\/index-.*\.js$/, async (route) => {
    await held
    await route.continue()
  })
  return release
}

it('Home stands before any script, and input into it stays', async () => {
  const page = await openPage(browser, server.url)
  const release = await holdScript(page)
  await page.goto('/', { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1, name: /^Shorten your URLs instantly/ }).waitFor()
  await page.getByLabel('Long URL').fill(destination)
  const host = new URL(server.url).host
  await expect.poll(() => page.locator('form').innerText()).toContain(`${host}/`)
  release()
  await page.waitForFunction(() => !document.querySelector('[data-prerendered]'))
  await page.getByRole('button', { name: 'Theme' }).waitFor()
  await expect.poll(() => page.getByLabel('Long URL').inputValue()).toBe(destination)
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('dialog', { name: 'Login Required' }).waitFor()
  await page.context().close()
})
