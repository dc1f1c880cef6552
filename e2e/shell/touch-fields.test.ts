/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantPopupLink } from '#test/pages/plant.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { openPart, pressInMenu } from '../menus.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
let user: TestUser
let popupCode: string
let lockedCode: string
setStage((stage) => ({ server, browser } = stage))
beforeAll(async () => {
  user = await makeUser(server, { plan: 'business' })
  await makeLink(server, user, { short_code: 'touched' })
  ;({ code: popupCode } = await plantPopupLink(server.sql, {
    collect_email: true,
    cta_url: 'https://shop.example/',
  }))
  ;({ short_code: lockedCode } = await makeLink(server, user, { password: 'open' } as object))
  await server.sql(
    `with popup as (insert into app.popups (user_id, title, collect_email) values ($1, 'A letter', true) returning id),
      audience as (insert into app.audiences (user_id) values ($1))
      insert into app.leads (user_id, popup_id, popup_version, email, consent_text, code, source, state, unsubscribe_token)
        select $1, id, 1, 'reader@example.com', '', '', '', 'confirmed', 'token' from popup`,
    [user.id],
  )
  await server.sql('insert into app.tags (user_id, name) values ($1, $2)', [user.id, 'spring'])
})

const written =
  'input:not([type=checkbox], [type=radio], [type=color], [type=range], [type=file], [type=hidden])'

/** Fields with letters below 16 px, into which iOS zooms. */
const smallFields = (page: Page) =>
  page.evaluate(
    (inputs) =>
      [...document.querySelectorAll(`${inputs}, select, textarea`)].flatMap((field) => {
        const size = Number.parseFloat(getComputedStyle(field).fontSize)
        return size < 16 ? [`${size} px: ${field.outerHTML.slice(0, 120)}`] : []
      }),
    written,
  )

/** Fields of codes and addresses that a phone would correct or begin with a capital. */
const corrected = (page: Page, selector: string) =>
  page.evaluate(
    (wanted) =>
      [...document.querySelectorAll(wanted)].flatMap((field) => {
        const answers = ['autocorrect', 'autocapitalize', 'spellcheck'].map((name) =>
          field.getAttribute(name),
        )
        const isVerbatim =
          answers[0] === 'off' &&
          /^(off|none|characters)$/.test(answers[1] ?? '') &&
          answers[2] === 'false'
        return isVerbatim ? [] : [`${answers.join()}: ${field.outerHTML.slice(0, 120)}`]
      }),
    selector,
  )

const emails = '[type=email]:not([readonly]), [autocomplete=email], [autocomplete=username]'

interface Screen {
  name: string
  path: () => string
  ready: string
  act?: (page: Page) => Promise<unknown>
  signedOut?: true
  /** Fields of codes, slugs, tags and addresses. */
  verbatim?: string
}

const openDialog = (name: string) => (page: Page) =>
  pressInMenu(
    page.getByRole('button', { name: 'More actions' }).first(),
    page.getByRole('button', { name, exact: true }),
  )
const screens: Screen[] = [
  { name: 'Home', path: () => '/', ready: '[name=code]', verbatim: '[name=code], [name=url]' },
  {
    name: 'Auth',
    path: () => '/auth',
    ready: '[name=email]',
    signedOut: true,
    verbatim: '[name=email], [autocomplete$=password]',
  },
  {
    name: 'a forgotten password',
    path: () => '/auth/forgot',
    ready: '[name=email]',
    signedOut: true,
    verbatim: '[name=email]',
  },
  { name: 'My Links', path: () => '/dashboard', ready: 'article', verbatim: '[type=search]' },
  {
    name: 'the dialog that edits a link',
    path: () => '/links/touched',
    ready: 'text=touched',
    async act(page) {
      await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
      await openPart(page.getByRole('dialog'), 'Link')
      await page.getByText('Query forwarding').first().waitFor()
    },
    verbatim: '[name=url], [role=combobox]',
  },
  {
    name: 'Change code',
    path: () => '/links/touched',
    ready: 'text=touched',
    act: openDialog('Change code'),
    verbatim: 'dialog[open] input',
  },
  {
    name: 'Share report',
    path: () => '/links/touched',
    ready: 'text=touched',
    async act(page) {
      await openDialog('Share report')(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Share report' }).click()
      await page.getByLabel('Last day').waitFor()
    },
  },
  {
    name: 'Manage tags',
    path: () => '/dashboard',
    ready: 'article',
    act: (page) => page.getByRole('button', { name: 'Manage tags' }).click(),
    verbatim: 'dialog[open] input:not([type=color])',
  },
  {
    name: 'the popup editor',
    path: () => '/popup-generator?template=newsletter',
    ready: 'text=Popup Content',
    verbatim: '[name=cta_url]',
  },
  { name: 'Bio Link', path: () => '/bio-link', ready: '[name=slug]', verbatim: '[name=slug]' },
  { name: 'Settings', path: () => '/settings', ready: 'text=Display name' },
  {
    name: 'the address of an account',
    path: () => '/settings',
    ready: 'text=New email',
    verbatim: emails,
  },
  {
    name: 'Audience',
    path: () => '/audience',
    ready: 'ul[aria-label=Addresses]',
    verbatim: '[type=search]',
  },
  {
    name: 'a popup',
    path: () => `/${popupCode}`,
    ready: 'dialog[open]',
    signedOut: true,
    verbatim: '[type=email]',
  },
  {
    name: 'the password of a link',
    path: () => `/${lockedCode}`,
    ready: '[type=password]',
    signedOut: true,
  },
  {
    name: 'a report',
    path: () => '/report',
    ready: '[name=details]',
    signedOut: true,
    verbatim: '[name=name], [type=email]',
  },
]

describe('on a phone', () => {
  it.for(screens)(
    'fields do not zoom the page, and nothing corrects codes and addresses: $name',
    async (screen) => {
      const desk = await openPage(browser, server.url, {
        width: 360,
        ...(!screen.signedOut && { user }),
      })
      const session = await desk.context().newCDPSession(desk)
      await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
      await desk.goto(screen.path())
      expect(await desk.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
      await desk.locator(screen.ready).first().waitFor()
      await screen.act?.(desk)
      await expect.poll(() => desk.locator(`${written}, select`).count()).toBeGreaterThan(0)
      expect(await smallFields(desk)).toEqual([])
      if (screen.verbatim !== undefined) {
        await expect.poll(() => desk.locator(screen.verbatim ?? '').count()).toBeGreaterThan(0)
        expect(await corrected(desk, screen.verbatim)).toEqual([])
      }
      await desk.context().close()
    },
  )

  it('bars and sheets leave room for the home indicator', async () => {
    const page = await openPage(browser, server.url, { width: 360, user })
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setSafeAreaInsetsOverride', {
      insets: { bottom: 34, bottomMax: 34 },
    })
    await page.goto('/dashboard')
    await page.getByRole('article').first().waitFor()
    const tab = page.getByRole('navigation', { name: 'Screens' }).getByRole('link').first()
    const roomBelow = async (selector: Locator) => {
      const box = await selector.boundingBox()
      return 900 - (box?.y ?? 900) - (box?.height ?? 0)
    }
    await expect.poll(() => roomBelow(tab)).toBe(34)
    await page.getByRole('button', { name: 'New link' }).click()
    const last = page.getByRole('dialog').getByRole('button', { name: 'Create and copy' })
    await expect.poll(() => roomBelow(last)).toBeGreaterThanOrEqual(34)
    const { code } = await plantPopupLink(server.sql, { position: 'bottom' })
    await page.goto(`/${code}`)
    await expect.poll(() => roomBelow(page.locator('dialog[open]'))).toBe(34 + 16)
    await page.context().close()
  })
})
