import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio, plantPopup } from '#test/pages/plant.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let owner: TestUser
setStage(async (stage) => {
  ;({ server, browser } = stage)
  owner = await makeUser(server, { plan: 'business' })
})

/** A site that has the browser prefetch its links (speculation rules); it is their destination too. */
let site: Server
let siteUrl: string
beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    const links = new URL(url, 'http://x').searchParams.getAll('to')
    const rules = { prefetch: [{ urls: links, eagerness: 'immediate' }] }
    response.setHeader('Content-Type', 'text/html')
    response.end(
      `<!doctype html><link rel="icon" href="data:,"><title>Site</title>
      <h1>${links.length > 0 ? 'Site' : 'There'}</h1>
      ${links.map((link, i) => `<a href="${link}">Link ${i}</a>`).join('')}
      <script type="speculationrules">${JSON.stringify(rules)}</script>`,
    )
  }).listen(0)
  await once(site, 'listening')
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(() => site.close())

const verdictsOf = async (id: string) =>
  (await hitsOf(server.sql, id)).map(({ verdict }) => verdict)

/** Opens a page with links to these paths, when the browser has prefetched each of them. */
async function openSite(paths: readonly string[], ids: readonly string[]): Promise<Page> {
  const page = await openPage(browser, server.url)
  const query = new URLSearchParams(paths.map((path) => ['to', server.url + path]))
  await page.goto(`${siteUrl}/?${query}`)
  for (const id of ids) await expect.poll(() => verdictsOf(id)).toEqual(['prefetch'])
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).click()
}

describe('the press of a prefetched link counts', () => {
  it('of a link with a maximum of clicks, which holds', async () => {
    const link = await makeLink(server, owner, {
      original_url: siteUrl,
      max_clicks: 1,
    } as object)
    const page = await openSite([`/${link.short_code}`], [link.id])
    await press(page, 'Link 0')
    await page.getByRole('heading', { name: 'There' }).waitFor()
    await expect.poll(() => verdictsOf(link.id)).toEqual(['prefetch', 'counted'])
    await page.context().close()
    const next = await openPage(browser, server.url)
    await next.goto(`/${link.short_code}`)
    await next.getByRole('heading', { name: 'This link has ended' }).waitFor()
    await next.context().close()
  })

  it(
    'of links with popup and password, of a bio page and of its links',
    { tags: ['extended'] },
    async () => {
      const popup = await plantPopup(server.sql, { user_id: owner.id })
      const columns = { original_url: siteUrl, show_popup: true, popup_id: popup.id }
      const withPopup = await makeLink(server, owner, columns)
      const locked = await makeLink(server, owner, { password: 'open sesame' } as object)
      const bio = await plantBio(server.sql, { links: [['Shop', `${siteUrl}/shop`]] })
      const [shop] = await server.sql<{ id: string }>(
        'select id from app.bio_links where bio_page_id = $1',
        [bio.id],
      )
      const pages = [
        [`/${withPopup.short_code}`, withPopup.id, 'counted'],
        [`/${locked.short_code}`, locked.id, 'password'],
        [`/${bio.slug}`, bio.id, 'counted'],
        [`/${bio.slug}/go/${shop?.id}`, shop?.id ?? '', 'counted'],
      ] as const
      for (const [path, id, verdict] of pages) {
        const page = await openSite([path], [id])
        await press(page, 'Link 0')
        await expect.poll(() => verdictsOf(id)).toEqual(['prefetch', verdict])
        await page.context().close()
      }
    },
  )
})
