import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import type { BuiltServer } from './built-server.ts'
import { pressInMenu } from './menus.ts'

/** Hits come from many addresses and countries, so the server believes the headers of a proxy. */
export const environment = () => ({
  RATE_LIMITS: 'off',
  TRUSTED_PROXIES: '1',
  GEOIP_HEADER: 'CF-IPCountry',
})

export const agents = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0',
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  google: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
}

export interface Hit {
  /** The last number of the visitor's address. */
  visitor: number
  agent?: keyof typeof agents
  country?: string
  referrer?: string
  method?: 'HEAD'
}

/** A request for `/{path}` by a visitor. */
export async function hit(server: BuiltServer, path: string, seen: Hit): Promise<void> {
  const { visitor, agent = 'firefox', country = 'DE', referrer, method } = seen
  await visit(server.url, `/${path}`, {
    ...(method && { method }),
    headers: {
      'user-agent': agents[agent],
      'x-forwarded-for': addressOf(visitor),
      'cf-ipcountry': country,
      ...(referrer !== undefined && { referer: referrer }),
    },
  })
}

const addressOf = (visitor: number) => `203.0.113.${visitor}`

/** The number of the visitor who is the owner. */
export const owner = 200

/** The owner uses Hoplet in the browser of that visitor. */
export async function openHoplet(server: BuiltServer, user: TestUser): Promise<void> {
  await fetch(`${server.url}/auth/v1/user`, {
    headers: { ...user.headers, 'user-agent': agents.firefox, 'x-forwarded-for': addressOf(owner) },
  })
  await expect
    .poll(() =>
      count(server, 'select count(*)::int as n from app.own_visitors where user_id = $1', user),
    )
    .toBeGreaterThan(0)
}

/** Waits until the account has that many stored hits. Works in hooks too, where no test is running. */
export async function expectStored(server: BuiltServer, user: TestUser, hits: number) {
  const query = `select count(*)::int as n from app.click_events e
    join app.click_scopes s on s.id = e.account where s.ref = $1`
  const timeout = 240_000
  await vi.waitFor(async () => expect(await count(server, query, user)).toBe(hits), { timeout })
}

async function count(server: BuiltServer, query: string, user: TestUser): Promise<number> {
  const [row] = await server.sql<{ n: number }>(query, [user.id])
  return row?.n ?? 0
}

const news = 'https://news.example/today'
const search = 'https://search.example/'

/** Each in a separate request. */
const story: Hit[] = [
  { visitor: 1, referrer: news },
  { visitor: 2, referrer: news, country: 'US', agent: 'chrome' },
  { visitor: 3, referrer: search, country: 'US', agent: 'safari' },
  { visitor: 4, referrer: search, country: 'JP', agent: 'safari' },
  { visitor: 5, country: 'JP', agent: 'chrome' },
  { visitor: 1, referrer: news },
  { visitor: owner },
  { visitor: 11, agent: 'google', country: 'US' },
  { visitor: 12, agent: 'slack', country: 'US' },
  { visitor: 6, method: 'HEAD' },
]

export interface Told {
  user: TestUser
  code: string
}

/** An account with one link and its hits: 5 counted, 1 repeat, 1 own visit, 3 by bots. */
export async function makeStory(server: BuiltServer, plan: 'pro' | 'free' = 'pro'): Promise<Told> {
  const user = await makeUser(server, { plan })
  const code = `told-${user.id.slice(0, 8)}`
  await makeLink(server, user, { short_code: code })
  await openHoplet(server, user)
  for (const seen of story) await hit(server, code, seen)
  await expectStored(server, user, story.length)
  return { user, code }
}

type FigureName = 'Clicks' | 'Visitors'

function figureOf(page: Page, name: FigureName) {
  return page
    .getByRole('region', { name: 'Totals' })
    .locator('dl > div')
    .filter({ has: page.locator('dt', { hasText: name }) })
    .locator('dd > span')
    .first()
}

/** Chooses a period in the menu. */
export async function choosePeriod(page: Page, name: string): Promise<void> {
  await pressInMenu(
    page.getByRole('button', { name: 'Period:' }),
    page.getByRole('button', { name, exact: true }),
  )
}

/** Waits for a total to become this number. */
export async function expectFigure(page: Page, name: FigureName, value: number): Promise<void> {
  await expect.poll(() => figureOf(page, name).textContent(), { message: name }).toBe(String(value))
}

/** Waits for the address to say this of the report, and nothing else. */
export async function expectAddress(page: Page, said: Record<string, string>): Promise<void> {
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(said)
}

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
    })
    if (focused.startsWith(name)) return
  }
  throw new Error(`Tab does not reach ${name}`)
}

/** Writes down every number that the first total shows, also those that no frame shows. */
export async function followClicks(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(window, { seen })
    const read = () => {
      const text = document.querySelector('[aria-label=Totals] dd > span')?.textContent ?? ''
      const value = text === '' ? 0 : Number(text)
      if (seen.at(-1) !== value) seen.push(value)
    }
    read()
    const changes = { subtree: true, childList: true, characterData: true }
    new MutationObserver(read).observe(document.body, changes)
  })
  return () => page.evaluate(() => (window as unknown as { seen: number[] }).seen)
}
