import type { Browser, Locator, Page, Route } from 'playwright-core'
import { makeUser, type TestUser } from '#test/factories.ts'
import { openPage } from './browser.ts'
import type { BuiltServer } from './built-server.ts'

/** The empty popup editor, as its user meets it. */
export async function openGenerator(
  browser: Browser,
  server: BuiltServer,
  user?: TestUser,
): Promise<Page> {
  const page = await openPage(browser, server.url, { user: user ?? (await makeUser(server)) })
  await page.goto('/popup-generator')
  await page.getByRole('heading', { name: 'AI Popup Generator' }).waitFor()
  return page
}

/** Opens the generators that make one part of a popup each. */
export function openParts(page: Page): Promise<void> {
  return page.getByText('Generate one part').click()
}

/** Creates a popup through the table door, as any client would. */
export async function makePopup(
  server: BuiltServer,
  user: TestUser,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const response = await fetch(`${server.url}/rest/v1/popups`, {
    method: 'POST',
    headers: {
      ...user.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ user_id: user.id, title: 'Spring sale', cta_text: 'Look', ...columns }),
  })
  const [row] = (await response.json()) as { id: string }[]
  if (row === undefined) throw new Error(`the popup was answered with ${response.status}`)
  return row.id
}

/** Changes a link through the table door. */
export async function patchLink(
  server: BuiltServer,
  user: TestUser,
  id: string,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${id}`, {
    method: 'PATCH',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(columns),
  })
  if (!response.ok) throw new Error(`the link was answered with ${response.status}`)
}

/** Saves a bio page without links through the table door. */
export async function saveBioPage(
  server: BuiltServer,
  user: TestUser,
  page: Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await fetch(`${server.url}/rest/v1/rpc/save_bio_page`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ page, links: [], social_links: [] }),
  })
  if (!response.ok) throw new Error(`the page was answered with ${response.status}`)
}

export function failing(route: Route): Promise<void> {
  return route.fulfill({ status: 500, body: '{}' })
}

export function preview(page: Page): Locator {
  return page.getByRole('region', { name: 'Live Preview' })
}

/** The text box with a label that starts so; the rest of a label is a note, such as the count of characters. */
export function field(page: Page, label: string): Locator {
  return page.getByRole('textbox', {
    name: new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!, picker)`),
  })
}
