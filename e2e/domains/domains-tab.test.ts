import type { Browser, Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { qrAddress } from '#domain/links/qr-address.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { savedFile, textsIn } from '../qr/qr-file.ts'
import { stageSpace } from '../spaces/space-stage.ts'
import { type Dns, linksHost, setDomainStage } from './domains-stage.ts'
import { plantDomain } from './plant-domain.ts'

let server: BuiltServer
let browser: Browser
let dns: Dns
setDomainStage((stage) => ({ server, browser, dns } = stage))

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Creates the records that are on the clipboard as lines of a zone file. */
function publishLines(lines: string): void {
  for (const line of lines.split('\n')) {
    const [, name = '', type = '', value = ''] =
      /^(\S+)\. 300 IN (TXT|CNAME) "?([^"]*?)"?\.?$/.exec(line) ?? []
    expect(type, line).not.toBe('')
    dns.set(name, { [type]: [value] })
  }
}

it('Ann adds a domain, creates the records that she copied, and makes a link that answers there', async () => {
  const ann = await makeUser(server, { plan: 'business' })
  const host = 'go.harbour.example'
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/settings?tab=domains')
  await page.getByText('No domains').waitFor()
  await look(page, 'domains-none')
  await page.getByRole('button', { name: 'Add a domain' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a domain' })
  for (const [typed, problem] of [
    ['https://go.harbour.example/', 'Please enter the host only'],
    ['*.harbour.example', 'A domain cannot have a wildcard'],
    [linksHost, 'This is a host of this server.'],
  ] as const) {
    await adding.getByLabel('Domain').fill(typed)
    await adding.getByRole('button', { name: 'Add Domain' }).click()
    await adding.getByText(problem).waitFor()
  }
  await adding.getByLabel('Domain').fill('GO.harbour.example')
  await page.keyboard.press('Enter')
  await expectNotice(page, 'Domain added')

  const card = page.getByRole('article', { name: host })
  await card.getByText('Waiting for DNS').waitFor()
  await card.getByText('No certificate yet').waitFor()
  await page.getByText('1 of 10.').waitFor()
  const mail = await card.getByRole('link', { name: 'Send to your DNS admin' }).getAttribute('href')
  await card.getByRole('button', { name: `Copy CNAME ${host}` }).click()
  await expectNotice(page, 'Copied!', 'Record copied')
  expect(await copied(page)).toBe(linksHost)
  await card.getByRole('button', { name: 'Copy all' }).click()
  await expectNotice(page, 'Copied!', 'Records copied')
  const lines = await copied(page)
  expect(decodeURIComponent(mail ?? '')).toContain(lines)
  await card.getByText(/^Checked /).waitFor()
  await look(page, 'domains-waiting')

  publishLines(lines)
  // A person takes longer than 10 seconds to create them.
  await server.sql('update app.domains set asked_at = null where host = $1', [host])
  await card.getByRole('button', { name: 'Check now' }).click()
  await expectNotice(page, 'Domain verified')
  await card.getByText('DNS is right').waitFor()
  await card.getByText('Not checked from outside').waitFor()

  const press = async (name: string) => {
    await card.getByRole('button', { name: `Actions for ${host}` }).click()
    await card.getByRole('button', { name, exact: true }).click()
  }
  await press('Make default')
  await card.getByText('Default for new links').waitFor()
  await press('Edit addresses')
  const targets = page.getByRole('dialog', { name: 'Edit addresses' })
  await targets.getByLabel('Missing codes', { exact: true }).selectOption('Address')
  await targets.getByLabel('Missing address').fill('javascript:alert(1)')
  await targets.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => targets.getByLabel('Missing address').getAttribute('aria-invalid'))
    .toBe('true')
  await targets.getByLabel('Missing address').fill('https://harbour.example/lost')
  await look(page, 'domains-addresses')
  await targets.getByRole('button', { name: 'Save' }).click()
  await expectNotice(page, 'Saved')
  await card.getByRole('link', { name: 'harbour.example/lost' }).waitFor()
  await look(page, 'domains-verified')

  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New link' })
  expect(await dialog.getByLabel('Domain').inputValue()).toBe(host)
  await dialog.getByLabel('Destination').fill('https://example.com/menu')
  await dialog.getByLabel('Short link').fill('menu')
  await dialog.getByText('Available').waitFor()
  await dialog.getByRole('region', { name: 'Preview' }).getByText(`${host}/`).waitFor()
  await look(page, 'domains-new-link')
  await dialog.getByRole('button', { name: /^Create and copy/ }).click()
  await expectNotice(page, `${host}/menu`)
  expect(await copied(page)).toBe(`http://${host}/menu`)
  const at = (path: string) => visit(server.url, path, { headers: { host } })
  await vi.waitFor(
    async () => expect((await at('/menu')).location).toBe('https://example.com/menu'),
    { timeout: 240_000 },
  )
  await vi.waitFor(
    async () => expect((await at('/nothing')).location).toBe('https://harbour.example/lost'),
    { timeout: 240_000 },
  )
  await makeLink(server, ann, { short_code: 'elsewhere', domain: '' })

  await page.goto('/dashboard')
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
  await page.getByLabel('Domain').selectOption(host)
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  await look(page, 'domains-filter')
  await page.reload()
  await page.getByRole('article', { name: `${host}/menu` }).waitFor()
  await page.getByLabel('Domain').selectOption(linksHost)
  await page.getByRole('article', { name: `${linksHost}/elsewhere` }).waitFor()
  await page.getByLabel('Domain').selectOption(host)
  await page
    .getByRole('article', { name: `${host}/menu` })
    .getByRole('link')
    .first()
    .click()
  await page.waitForURL(`**/links/${host}~menu`)
  const svg = await savedFile(page, () =>
    page.getByRole('button', { name: 'Download as SVG' }).click(),
  )
  const text = qrAddress(`http://${host}/menu`)
  expect(await textsIn(svg.bytes)).toEqual([text, text])
  await page.context().close()
})

it('Ann removes a domain after she typed its host, and its link stays in her list', async () => {
  const ann = await makeUser(server, { plan: 'business' })
  await plantDomain(server, ann, 'go.bücher.example')
  const stored = 'go.xn--bcher-kva.example'
  await makeLink(server, ann, { short_code: 'list', domain: stored })
  const page = await openPage(browser, server.url, { user: ann, width: 360 })
  await page.goto('/settings?tab=domains')
  const card = page.getByRole('article', { name: 'go.bücher.example' })
  await card.getByText(/^Certificate until /).waitFor()
  await card.getByRole('button', { name: 'Actions for go.bücher.example' }).click()
  await card.getByRole('button', { name: 'Remove' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove go.bücher.example?' })
  await dialog.getByText('1 link will stop working.').waitFor()
  await dialog.getByLabel('Domain').fill('bücher.example')
  await dialog.getByRole('button', { name: 'Remove Domain' }).click()
  await dialog.getByText('Type go.bücher.example to confirm', { exact: true }).waitFor()
  await look(page, 'domains-removal')
  await dialog.getByLabel('Domain').fill('go.bücher.example')
  await dialog.getByRole('button', { name: 'Remove Domain' }).click()
  await expectNotice(page, 'Domain removed')
  await page.getByText('No domains').waitFor()
  await page.goto('/dashboard')
  await page.getByRole('article', { name: 'go.bücher.example/list' }).waitFor()
  await page.context().close()
})

it('a viewer of a space sees its domains and no control, and an owner at the limit a way to more', async () => {
  const space = await stageSpace(server)
  await plantDomain(server, { id: space.id }, `go.${space.slug}.example`)
  const path = `/s/${space.slug}/settings?tab=domains`
  const viewer = await openPage(browser, server.url, { user: await space.join('viewer') })
  await viewer.goto(path)
  const card = viewer.getByRole('article', { name: `go.${space.slug}.example` })
  await card.getByText('DNS is right').waitFor()
  expect(await viewer.getByRole('main').getByRole('button').count()).toBe(0)
  await look(viewer, 'domains-viewer')
  await viewer.context().close()

  const ann = await makeUser(server)
  await plantDomain(server, ann, `go.${ann.id.slice(0, 8)}.example`)
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/settings?tab=domains')
  await page.getByText('1 of 1.').waitFor()
  await page.getByRole('link', { name: 'Upgrade for more' }).waitFor()
  await page.getByRole('button', { name: 'Add a domain' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a domain' })
  await adding.getByLabel('Domain').fill('second.example')
  await page.keyboard.press('Enter')
  await adding.getByText('Your plan allows 1 domain.').waitFor()
  await page.context().close()
})

it(
  'Ann chooses the host of her page, of several links and of a link on Home',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'business' })
    const host = `go.${ann.id.slice(0, 8)}.example`
    await plantDomain(server, ann, host)
    const page = await openPage(browser, server.url, { user: ann })
    await page.goto('/')
    await page.getByLabel('Domain').selectOption(host)
    await page.getByLabel('Long URL').fill('https://example.com/home')
    await page.getByLabel('Custom code').fill('dashboard')
    await page.getByRole('button', { name: 'Shorten' }).click()
    await page.getByRole('region', { name: 'Your short link' }).getByText(`${host}/`).waitFor()
    await look(page, 'domains-home')

    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'New link' }).click()
    const dialog = page.getByRole('dialog', { name: 'New link' })
    expect(await dialog.getByLabel('Domain').inputValue()).toBe('')
    await dialog.getByLabel('Destination').fill('https://example.com/1\nhttps://example.com/2')
    await dialog.getByLabel('Domain').selectOption(host)
    await dialog.getByRole('button', { name: /^Create 2 links/ }).click()
    await expectNotice(page, '2 links made')
    expect(await copied(page)).toMatch(
      new RegExp(`^http://${host}/[a-z0-9]{6}\nhttp://${host}/[a-z0-9]{6}$`),
    )

    await page.goto('/bio-link')
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('Domain').selectOption(host)
    await page.getByLabel('Address', { exact: true }).fill('dashboard-of-ann')
    await look(page, 'domains-bio')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(`${host}/dashboard-of-ann`).first().waitFor()
    await page.getByRole('button', { name: /^Save/ }).first().click()
    const live = page.getByRole('dialog', { name: 'Your page is live' })
    await live.getByText(`${host}/dashboard-of-ann`, { exact: true }).waitFor()
    await live.getByRole('button', { name: 'Copy' }).click()
    await expectNotice(page, 'Copied!')
    expect(await copied(page)).toBe(`http://${host}/dashboard-of-ann`)
    await vi.waitFor(
      async () =>
        expect((await visit(server.url, '/dashboard-of-ann', { headers: { host } })).status).toBe(
          200,
        ),
      { timeout: 240_000 },
    )
    await page.context().close()
  },
)

it(
  'long hosts, hosts of other scripts and 100 domains fit a phone',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'business' })
    const hosts = [
      `${'a-very-long-label-of-a-host'.repeat(2)}.${ann.id.slice(0, 8)}.subdomain.example`,
      'קישור.שלום.example',
      'ссылки.example',
      ...Array.from({ length: 97 }, (_, i) => `go${i}.${ann.id.slice(0, 8)}.example`),
    ]
    for (const host of hosts) await plantDomain(server, ann, host)
    await server.sql(
      `update app.domains set is_served = false, found = '{}', problem = 'proxied' where user_id = $1 and host like 'go1.%'`,
      [ann.id],
    )
    const page = await openPage(browser, server.url, { user: ann, width: 360 })
    await page.goto('/settings?tab=domains')
    await expect.poll(() => page.getByRole('article').count()).toBe(100)
    await look(page, 'domains-many')
    await page.context().close()
  },
)
