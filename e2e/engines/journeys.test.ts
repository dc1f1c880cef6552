/** @module-tag extended */
import { beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio, plantPopup, plantPopupLink } from '#test/pages/plant.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

// The proxy of the engines answers for this host, without encryption.
const destination = 'http://shop.example/menu'

const seeThere = async (page: EnginePage) => {
  await page.until(() => document.title === 'There')
  return page.run(() => location.href)
}

inEachEngine('the main journeys', (stage) => {
  it('a newcomer signs up, makes a link, changes it, and follows it', async () => {
    const email = `${stage.engine.toLowerCase()}-newcomer@example.com`
    const page = await stage.open()
    await page.goto('/auth')
    await page.press('button', 'Sign Up', 'main')
    await page.fill('Email', email)
    await page.fill('Password', 'hop hop hop')
    await page.fill('Display name', 'New Comer')
    await page.press('button', 'Sign Up', 'main form')
    await page.seeText('Account created')
    await page.fill('Password', 'hop hop hop')
    await page.press('button', 'Sign In', 'main form')
    await page.until(() => location.pathname === '/dashboard')

    await page.goto('/')
    await page.fill('Long URL', destination)
    const code = `${stage.engine.toLowerCase()}-first`
    await page.fill('Custom code', code)
    await page.press('button', 'Shorten', 'main')
    await page.seeText(`/${code}`, 'main')

    await page.goto(`/links/${code}`)
    await page.press('button', 'Edit', 'main')
    await page.fill('Redirect URL', `${destination}?changed`, 'dialog')
    await page.key('Enter')
    await page.until(() => document.querySelector('dialog[open]') === null)
    await page.goto('/dashboard')
    await page.seeText('shop.example/menu?changed', 'article')
    await page.goto(`/${code}`)
    expect(await seeThere(page)).toBe(`${destination}?changed`)
  })

  it('a member makes a link in the dialog, and finds it', async () => {
    const user = await makeUser(stage.server)
    const page = await stage.open({ user })
    await page.goto('/dashboard')
    await page.seeText('No links yet')
    await page.key('n')
    await page.fill('Destination', 'shop.example/dialog', 'dialog')
    await page.key('Enter')
    await page.until(() => document.querySelector('dialog[open]') === null)
    await page.seeText('shop.example/dialog', 'article')
    await page.fill('Search links', 'nothing like this')
    await page.seeText('Clear Search')
  })

  it('a member publishes a bio page', async () => {
    const user = await makeUser(stage.server)
    const slug = `${stage.engine.toLowerCase()}-page`
    const page = await stage.open({ user })
    await page.goto('/bio-link')
    await page.fill('Your name', 'Ada')
    await page.fill('Address', slug)
    await page.press('button', 'Continue', 'main')
    await page.seeText('Page Settings')
    await page.press('button', 'Save', 'main')
    await page.seeText('Your page is live', 'dialog')
    await page.goto(`/${slug}`)
    await page.seeText('@Ada')
  })
})

inEachEngine('the screens', (stage) => {
  let member: TestUser
  let admin: TestUser
  beforeAll(async () => {
    member = await makeUser(stage.server, { plan: 'business' })
    admin = await makeUser(stage.server, { role: 'admin' })
    await makeLink(stage.server, member, { short_code: `${stage.engine.toLowerCase()}-screen` })
    await plantPopup(stage.server.sql, { title: 'Letter', user_id: member.id })
  })

  const opens = async (page: EnginePage, path: string) => {
    await page.goto(path)
    await page.until(() => document.querySelector('main h1') !== null)
    await page.until(() => document.querySelector('[aria-busy=true]') === null)
    const shown = await page.run(() => ({
      failed: document.body.textContent.includes('Something went wrong'),
      scrolls: document.documentElement.scrollWidth > innerWidth,
    }))
    expect({ path, ...shown }).toEqual({ path, failed: false, scrolls: false })
  }

  it.for([1280, 360])('of a member open, %i px wide', async (width) => {
    const page = await stage.open({ user: member, width })
    const screens = [
      '/',
      '/dashboard',
      `/links/${stage.engine.toLowerCase()}-screen`,
      '/analytics',
      '/bio-link',
      '/popup-generator',
      '/my-popups',
      '/audience',
      '/affiliates',
      '/upgrade',
      '/help',
      '/settings',
      '/settings?tab=api-keys',
      '/settings?tab=webhooks',
      '/dashboard/missing-codes',
      '/docs/api',
    ]
    for (const path of screens) await opens(page, path)
  })

  it('of an admin open', async () => {
    const page = await stage.open({ user: admin })
    for (const path of ['', '/users', '/links', '/reports', '/payouts', '/audit', '/system'])
      await opens(page, `/admin${path}`)
  })

  it('of a visitor open', async () => {
    const page = await stage.open()
    for (const path of ['/', '/auth', '/auth/forgot', '/upgrade', '/no/such/page'])
      await opens(page, path)
  })
})

inEachEngine('the pages for visitors', (stage) => {
  let owner: TestUser
  beforeAll(async () => {
    owner = await makeUser(stage.server, { plan: 'business' })
  })

  it('a password leads to the destination, also after a wrong one', async () => {
    const columns = { original_url: destination, password: 'open sesame' }
    const { short_code: code } = await makeLink(stage.server, owner, columns as object)
    const page = await stage.open()
    await page.goto(`/${code}`)
    await page.fill('Password', 'open barley')
    await page.key('Enter')
    await page.seeText('This is not the password. Please try again.')
    await page.fill('Password', 'open sesame')
    await page.key('Enter')
    expect(await seeThere(page)).toBe(destination)
  })

  it('a popup of a link keeps an address, and its way on leads there', async () => {
    const link = await plantPopupLink(stage.server.sql, { collect_email: true }, destination)
    const page = await stage.open()
    await page.goto(`/${link.code}`)
    await page.fill('Email address', 'me@example.com', 'dialog')
    await page.key('Enter')
    await page.seeText('Your email address was saved.')
    const kept = await stage.server.sql('select email from app.leads where popup_id = $1', [
      link.popupId,
    ])
    expect(kept).toEqual([{ email: 'me@example.com' }])
    await page.until(() => {
      document.querySelector<HTMLAnchorElement>('dialog a[href], main a[href]')?.click()
      return document.title === 'There'
    })
  })

  it('a shared report, a report of abuse, and the page of a missing link', async () => {
    const { slug } = await plantBio(stage.server.sql)
    const page = await stage.open()
    await page.goto(`/report?name=${slug}`)
    await page.run(() => document.querySelector<HTMLInputElement>('input[type=radio]')?.click())
    await page.fill('Details', 'It pretends to be my bank.')
    await page.press('button', 'Send report')
    await page.seeText('Thank you for your report')
    const link = await makeLink(stage.server, owner)
    const shared = await fetch(`${stage.server.url}/rest/v1/shared_reports?select=token`, {
      method: 'POST',
      headers: {
        ...owner.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
        accept: 'application/vnd.pgrst.object+json',
      },
      body: JSON.stringify({ link_id: link.id }),
    })
    const { token } = (await shared.json()) as { token: string }
    await page.goto(`/analytics/shared/${token}`)
    await page.seeText(link.short_code)
    await page.goto('/nothing-has-this-name')
    await page.until(() => document.querySelector('h1') !== null)
  })
})
