/** @module-tag extended */
import { readFile } from 'node:fs/promises'
import jsQR from 'jsqr'
import type { Browser, Locator, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'
import { environment, expectStored, hit } from '../analytics-stage.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { field } from '../popup-screens.ts'
import { setStage } from '../stage.ts'

// Jobs of an owner, each with the most clicks that it may take. Keys and typing are free.

let server: BuiltServer
let browser: Browser
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())
setStage((stage) => ({ server, browser } = stage), {
  environment: () => ({ ...environment(), WEBHOOK_PRIVATE_ADDRESSES: 'on' }),
})

const destination = 'https://example.com/long/address'

interface Hand {
  page: Page
  user: TestUser
  /** The only way to click in a job: counts, then clicks. */
  click: (target: Locator) => Promise<void>
  /** Clicks so far. */
  clicks: () => number
}

/** Opens a screen and counts the clicks from there on. */
async function takeInHand(page: Page, user: TestUser, path = '/dashboard'): Promise<Hand> {
  // Other sites are answered here.
  await page
    .context()
    .route(/^https:\/\//, (route) => route.fulfill({ contentType: 'text/html', body: 'There' }))
  await page.goto(path)
  let count = 0
  return {
    page,
    user,
    async click(target) {
      count += 1
      await target.click()
    },
    clicks: () => count,
  }
}

/** A person on My Links, with as many links: `job-1-…`, `job-2-…`. */
async function onMyLinks(links: number, plan: 'free' | 'business' = 'business'): Promise<Hand> {
  const user = await makeUser(server, { plan })
  for (let n = 1; n <= links; n++)
    await makeLink(server, user, { short_code: codeOf(user, n), original_url: destination })
  const page = await openPage(browser, server.url, { user })
  const hand = await takeInHand(page, user)
  if (links > 0) await page.getByRole('article').first().waitFor()
  return hand
}

const codeOf = (user: TestUser, n: number) => `job-${n}-${user.id.slice(0, 8)}`
const row = ({ page, user }: Hand, n = 1) =>
  page.getByRole('article').filter({ hasText: codeOf(user, n) })
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const button = (of: Page | Locator, name: string) => of.getByRole('button', { name, exact: true })
const screenLink = ({ page }: Hand, name: string) =>
  page.getByRole('complementary').getByRole('link', { name, exact: true })

function linksOf(user: TestUser, columns: string) {
  return server.sql(
    `select ${columns} from app.shortened_urls where user_id = $1 order by short_code`,
    [user.id],
  )
}

/** Without an account: from an address to the copied short link. */
async function shortenAsVisitor(typed: string): Promise<Hand> {
  const email = `visitor-${Math.random().toString(36).slice(2)}@example.com`
  const page = await openPage(browser, server.url)
  const hand = await takeInHand(page, { email } as TestUser, '/')
  await page.getByLabel('Long URL').fill(typed)
  await hand.click(button(page, 'Shorten'))
  await hand.click(page.getByRole('link', { name: 'Create free account' }))
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
  await hand.click(page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first())
  await expectNotice(page, '✨ URL Shortened!')
  const [link] = await server.sql<{ short_code: string; original_url: string }>(
    `select short_code, original_url from app.shortened_urls s join app.profiles p on p.id = s.user_id where p.email = $1`,
    [email],
  )
  expect(link?.original_url).toBe(destination)
  await expect.poll(() => clipboard(page)).toBe(`${server.url}/${link?.short_code}`)
  return hand
}

async function makeAndCopy(): Promise<Hand> {
  const hand = await onMyLinks(0)
  await hand.click(hand.page.getByRole('complementary').getByRole('button', { name: 'New link' }))
  const dialog = hand.page.getByRole('dialog', { name: 'New link' })
  await dialog.getByLabel('Destination').fill(destination)
  await hand.click(dialog.getByRole('button', { name: 'Create and copy' }))
  await expectNotice(hand.page, '✨ URL Shortened!')
  const [link] = await linksOf(hand.user, 'short_code')
  await expect.poll(() => clipboard(hand.page)).toBe(`${server.url}/${link?.['short_code']}`)
  return hand
}

async function copyLink(): Promise<Hand> {
  const hand = await onMyLinks(2)
  await hand.click(button(row(hand, 2), 'Copy link'))
  await expect.poll(() => clipboard(hand.page)).toBe(`${server.url}/${codeOf(hand.user, 2)}`)
  return hand
}

async function findAndOpen(): Promise<Hand> {
  const hand = await onMyLinks(0)
  await server.sql(
    `insert into app.shortened_urls (user_id, title, original_url)
      select $1, 'Reading list ' || n, $2 from generate_series(1, 121) n`,
    [hand.user.id, destination],
  )
  await hand.page.reload()
  await hand.page.getByRole('article').first().waitFor()
  await hand.click(hand.page.getByLabel('Search links'))
  await hand.page.keyboard.type('list 77')
  await expect.poll(() => hand.page.getByRole('article').count()).toBe(1)
  await hand.click(hand.page.getByRole('article'))
  await hand.page.waitForURL('**/links/*')
  await hand.page.getByRole('main').getByText('Reading list 77').waitFor()
  return hand
}

async function changeDestination(): Promise<Hand> {
  const hand = await onMyLinks(1)
  await hand.click(button(row(hand), 'More actions'))
  await hand.click(button(row(hand), 'Edit'))
  await hand.page.getByRole('textbox', { name: 'Redirect URL' }).fill('https://example.org/new')
  await hand.click(button(hand.page, 'Save Changes'))
  await expectNotice(hand.page, 'Updated!')
  expect(await linksOf(hand.user, 'original_url')).toEqual([
    { original_url: 'https://example.org/new' },
  ])
  return hand
}

async function downloadQrCode(): Promise<Hand> {
  const hand = await onMyLinks(1)
  await hand.click(button(row(hand), 'QR code'))
  const download = hand.page.waitForEvent('download')
  await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Download QR Code' }))
  const file = await download
  const code = codeOf(hand.user, 1)
  expect(file.suggestedFilename()).toBe(`${code}.png`)
  const png = PNG.sync.read(await readFile(await file.path()))
  expect(jsQR(new Uint8ClampedArray(png.data), png.width, png.height)?.data).toBe(
    `${server.url}/q/${code}`.toUpperCase(),
  )
  return hand
}

async function shareOnWhatsApp(): Promise<Hand> {
  const hand = await onMyLinks(1)
  await hand.click(button(row(hand), 'More actions'))
  const opened = hand.page.context().waitForEvent('page')
  await hand.click(row(hand).getByRole('link', { name: 'WhatsApp' }))
  const tab = await opened
  await tab.waitForURL(/^https:\/\/[a-z.]*(wa\.me|whatsapp\.com)\//)
  expect(decodeURIComponent(tab.url())).toContain(`${server.url}/${codeOf(hand.user, 1)}`)
  return hand
}

/** Links with clicks: those without are deleted without a question. */
async function deleteThree(): Promise<Hand> {
  const hand = await onMyLinks(4)
  await server.sql('update app.shortened_urls set click_count = 7 where user_id = $1', [
    hand.user.id,
  ])
  await hand.page.reload()
  await selectThree(hand)
  await hand.click(button(hand.page.getByRole('region', { name: 'Selected links' }), 'Delete'))
  await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: /^Delete/ }))
  await expect
    .poll(() => linksOf(hand.user, 'short_code'))
    .toEqual([{ short_code: codeOf(hand.user, 4) }])
  return hand
}

async function selectThree(hand: Hand): Promise<void> {
  for (const n of [1, 2, 3]) await hand.click(row(hand, n).getByRole('checkbox'))
}

async function tagThree(): Promise<Hand> {
  const hand = await onMyLinks(4)
  await selectThree(hand)
  await hand.click(button(hand.page.getByRole('region', { name: 'Selected links' }), 'Tag'))
  await hand.page.getByRole('dialog').getByLabel('Add tags').waitFor()
  await hand.page.keyboard.type('poster')
  // The first Enter adds the tag, the second one saves.
  await hand.page.keyboard.press('Enter')
  await hand.page.keyboard.press('Enter')
  await expectNotice(hand.page, 'Tags saved')
  expect((await linksOf(hand.user, 'tags')).map(({ tags }) => tags as unknown)).toEqual([
    ['poster'],
    ['poster'],
    ['poster'],
    [],
  ])
  return hand
}

async function switchOff(): Promise<Hand> {
  const hand = await onMyLinks(1)
  await hand.click(button(row(hand), 'More actions'))
  await hand.click(row(hand).getByRole('switch', { name: 'Active' }))
  await expectNotice(hand.page, 'Link is off')
  const visit = () => fetch(`${server.url}/${codeOf(hand.user, 1)}`, { redirect: 'manual' })
  await expect.poll(async () => (await visit()).status).toBe(410)
  return hand
}

async function readWeekByCountry(): Promise<Hand> {
  const hand = await onMyLinks(1)
  const { page, user } = hand
  for (const [visitor, country] of ['DE', 'JP', 'JP'].entries())
    await hit(server, codeOf(user, 1), { visitor: visitor + 1, country })
  await expectStored(server, user, 3)
  await hand.click(row(hand))
  await hand.click(button(page, '7 days'))
  await page.getByRole('button', { name: 'Period: Last 7 days' }).waitFor()
  const countries = page.getByRole('region', { name: 'Places', exact: true }).getByRole('listitem')
  await expect
    .poll(() => countries.allInnerTexts())
    .toEqual([expect.stringMatching(/Japan\s+2\s/), expect.stringMatching(/Germany\s+1\s/)])
  return hand
}

/** A draft that asks for email addresses, without an address of another site to send them to. */
async function showPopupByDraft(): Promise<Hand> {
  const hand = await onMyLinks(1)
  const { page, user } = hand
  await hand.click(screenLink(hand, 'My Popups'))
  await hand.click(page.getByRole('main').getByRole('link', { name: 'Create New Popup' }))
  const offer = page.getByRole('region', { name: 'Or describe it' })
  await offer.getByRole('textbox').fill('A monthly newsletter about tulips, join by email')
  await hand.click(button(offer, 'Quick draft'))
  await expectNotice(page, 'Draft ready')
  await expect.poll(() => page.getByLabel('Collect Email Address').isChecked()).toBe(true)
  const title = await field(page, 'Title *').inputValue()
  await hand.click(button(page, 'Create Popup'))
  const dialog = page.getByRole('dialog', { name: 'Add to links' })
  await hand.click(dialog.getByRole('checkbox', { name: codeOf(user, 1) }))
  await hand.click(button(dialog, 'Save'))
  await dialog.waitFor({ state: 'hidden' })
  const visitor = await openPage(browser, server.url)
  await visitor.goto(`/${codeOf(user, 1)}`)
  await visitor.getByRole('dialog').getByText(title).waitFor()
  await visitor.context().close()
  return hand
}

const bioLinks = Array.from({ length: 8 }, (_, n) => ({
  title: `Shop ${n + 1}`,
  url: `https://shop${n + 1}.example/`,
}))

/** From nothing to the saved page: eight links, typed one after the other. */
async function saveBioPage(): Promise<Hand> {
  const hand = await onMyLinks(0)
  const { page, user } = hand
  await hand.click(screenLink(hand, 'Bio Link'))
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Address').fill(`bio-${user.id.slice(0, 8)}`)
  await hand.click(button(page, 'Continue'))
  await hand.click(button(page, 'Add Link'))
  for (const [index, { title, url }] of bioLinks.entries()) {
    if (index > 0) await page.keyboard.press('Enter')
    await page.keyboard.type(title)
    await page.keyboard.press('Tab')
    await page.keyboard.type(url)
  }
  await hand.click(button(page, 'Save'))
  await expectNotice(page, 'Success', 'Bio page saved successfully!')
  const saved = await server.sql(
    `select l.title, l.url from app.bio_links l join app.bio_pages p on p.id = l.bio_page_id
      where p.user_id = $1 order by link_order`,
    [user.id],
  )
  expect(saved).toEqual(bioLinks)
  return hand
}

async function copyBioPage(hand: Hand): Promise<void> {
  const { page, user } = hand
  const slug = `bio-${user.id.slice(0, 8)}`
  await hand.click(button(page.getByRole('dialog', { name: 'Your page is live' }), 'Copy'))
  await expect.poll(() => clipboard(page)).toBe(`${server.url}/${slug}`)
  const html = await (await fetch(`${server.url}/${slug}`)).text()
  for (const { title } of bioLinks) expect(html).toContain(title)
}

async function shareBioPage(): Promise<Hand> {
  const hand = await saveBioPage()
  await copyBioPage(hand)
  return hand
}

async function upgrade(): Promise<Hand> {
  const hand = await onMyLinks(0, 'free')
  const { page, user } = hand
  await hand.click(screenLink(hand, 'Go Pro'))
  const opened = page.context().waitForEvent('page')
  await hand.click(
    button(page.getByRole('article', { name: 'Pro', exact: true }), 'Upgrade to Pro'),
  )
  const checkout = await opened
  await hand.click(button(checkout, 'Pay $7.00'))
  await expectNotice(checkout, 'Payment successful!')
  const plan = 'select plan_type from app.user_plans where user_id = $1'
  await expect.poll(() => server.sql(plan, [user.id])).toEqual([{ plan_type: 'pro' }])
  return hand
}

async function makeApiKey(): Promise<Hand> {
  const hand = await onMyLinks(1)
  const { page } = hand
  await hand.click(screenLink(hand, 'Settings'))
  await hand.click(page.getByRole('link', { name: 'API Keys' }))
  await hand.click(button(page, 'New Key'))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Script')
  await hand.click(button(dialog, 'Create Key'))
  await hand.click(button(dialog, 'Copy'))
  await hand.click(button(dialog, 'Done'))
  const key = await clipboard(page)
  const answer = await fetch(`${server.url}/rest/v1/shortened_urls?select=short_code`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await answer.json()).toEqual([{ short_code: codeOf(hand.user, 1) }])
  return hand
}

async function addWebhook(): Promise<Hand> {
  const hand = await onMyLinks(0)
  const { page } = hand
  await hand.click(screenLink(hand, 'Settings'))
  await hand.click(page.getByRole('link', { name: 'Webhooks' }))
  await hand.click(button(page, 'Add Webhook'))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
  await hand.click(button(dialog, 'Add Webhook'))
  await hand.click(button(dialog, 'Copy'))
  await hand.click(button(dialog, 'Done'))
  expect(await clipboard(page)).toMatch(/^whsec_/)
  const before = receiver.arrivals.length
  await makeLink(server, hand.user)
  await expect.poll(() => receiver.arrivals.length).toBeGreaterThan(before)
  return hand
}

const jobs: [name: string, most: number, job: () => Promise<Hand>][] = [
  ['a visitor shortens an address and has the link copied', 3, () => shortenAsVisitor(destination)],
  [
    'a visitor shortens an address without https:// and has the link copied',
    3,
    () => shortenAsVisitor(destination.slice('https://'.length)),
  ],
  ['a new link, copied', 2, makeAndCopy],
  ['a link is copied', 1, copyLink],
  ['one of 121 links is found and opened', 2, findAndOpen],
  ['a destination is changed', 3, changeDestination],
  ['a QR code is downloaded as PNG', 2, downloadQrCode],
  ['a link is shared on WhatsApp', 2, shareOnWhatsApp],
  ['three links are deleted', 5, deleteThree],
  ['the last 7 days of a link by country', 2, readWeekByCountry],
  ['a popup by draft is live on a link', 7, showPopupByDraft],
  ['a bio page with 8 links is made and shared', 13, shareBioPage],
  ['Free becomes Pro', 3, upgrade],
  ['an API key is made', 6, makeApiKey],
  ['a webhook is added', 6, addWebhook],
  ['a link is switched off', 2, switchOff],
  ['three links are tagged', 4, tagThree],
]

it.each(jobs)('%s: at most %i clicks', async (_, most, job) => {
  const { page, clicks } = await job()
  expect(clicks()).toBeLessThanOrEqual(most)
  await page.context().close()
})

it('the address of a bio page is copied at most 2 clicks after its save', async () => {
  const hand = await saveBioPage()
  const before = hand.clicks()
  await copyBioPage(hand)
  expect(hand.clicks() - before).toBeLessThanOrEqual(2)
  await hand.page.context().close()
})
