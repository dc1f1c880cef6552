/** @module-tag extended */
import type { Browser, Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { payInvoice } from '#test/affiliates/plant.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio } from '#test/pages/plant.ts'
import { makeAdmin } from './admin/admin-plant.ts'
import { expectNotice, openPage } from './browser.ts'
import type { BuiltServer } from './built-server.ts'
import { chooseForLink } from './menus.ts'
import { makePopup, openParts, patchLink, saveBioPage } from './popup-screens.ts'
import { setStage } from './stage.ts'

// The screens of the specification, in its order. Each line quotes a sentence and names the parts that show it.

let server: BuiltServer
let browser: Browser
const people = {} as Record<Exclude<Person, 'visitor'>, TestUser>
const of = (person: Exclude<Person, 'visitor'>) => people[person].id.slice(0, 8)
let popupId = ''
let publicPage = ''

setStage(async (stage) => {
  ;({ server, browser } = stage)
  people.newcomer = await makeUser(server)
  people.leaver = await makeUser(server)
  people.free = await makeUser(server)
  people.pro = await makeUser(server, { plan: 'pro' })
  people.admin = await makeAdmin(server)
  for (const person of ['free', 'pro'] as const)
    await makeLink(server, people[person], {
      short_code: `walk-${of(person)}`,
      original_url: 'https://shop.example/spring',
    })
  popupId = await makePopup(server, people.pro, {
    title: 'Spring sale',
    description: 'Everything in the shop',
    cta_url: 'https://shop.example/',
  })
  const shown = await makeLink(server, people.pro, { short_code: `popup-${of('pro')}` })
  await patchLink(server, people.pro, shown.id, { show_popup: true, popup_id: popupId })
  await saveBioPage(server, people.pro, { slug: `page-${of('pro')}`, title: 'Ada' })
  const planted = await plantBio(server.sql, {
    columns: { title: 'maya', description: 'Potter' },
    links: [
      ['One', 'https://shop.example/1'],
      ['Two', 'https://shop.example/2'],
      ['Three', 'https://shop.example/3'],
    ],
    social: [['github', 'https://github.com/maya']],
  })
  publicPage = planted.slug
})

type Person = 'visitor' | 'newcomer' | 'leaver' | 'free' | 'pro' | 'admin'
type Role = Parameters<Page['getByRole']>[0]
/** A text, or a control by its role and name. */
type Part = string | RegExp | readonly [role: Role, name: string | RegExp]

interface Line {
  /** In the words of the specification. */
  says: string
  /** Opened for this line; a line without it goes on with the page of the line before. */
  at?: string | (() => string)
  as?: Person
  /** Width of the window; default: 1280. */
  width?: number
  /** Done before the parts are looked for. */
  first?: (page: Page) => Promise<unknown>
  /** Where the parts are; default: the whole page. */
  within?: (page: Page) => Locator
  shows?: readonly Part[]
  lacks?: readonly Part[]
  /** Where the page leads to by itself, or by a press on a control. */
  leadsTo?: readonly [control: Part | undefined, path: string | (() => string)][]
  check?: (page: Page) => Promise<unknown>
}

function locate(scope: Page | Locator, part: Part): Locator {
  if (typeof part === 'string' || part instanceof RegExp)
    return scope.getByText(part, { exact: typeof part === 'string' }).first()
  const [role, name] = part
  return scope.getByRole(role, { name, exact: typeof name === 'string' }).first()
}

const pathOf = (path: string | (() => string)) => (typeof path === 'string' ? path : path())

async function walk(line: Line, before: Page | undefined): Promise<Page> {
  const { at, as = 'visitor', first, within, shows = [], lacks = [], leadsTo = [], check } = line
  let page = before
  if (at !== undefined || page === undefined) {
    await page?.context().close()
    page = await openPage(browser, server.url, {
      width: line.width ?? 1280,
      ...(as !== 'visitor' && { user: people[as] }),
    })
    // Other sites are answered here.
    await page
      .context()
      .route(/^https:\/\//, (route) => route.fulfill({ contentType: 'text/html', body: 'There' }))
    await page.goto(pathOf(at ?? '/'))
  }
  await first?.(page)
  const scope = within?.(page) ?? page
  for (const part of shows) await locate(scope, part).waitFor()
  for (const part of lacks) await expect.poll(() => locate(scope, part).isVisible()).toBe(false)
  await check?.(page)
  for (const [control, path] of leadsTo) {
    if (control !== undefined) await locate(scope, control).click()
    await page.waitForURL((url) => url.pathname === pathOf(path))
    if (control !== undefined && leadsTo.length > 1) await page.goBack()
  }
  return page
}

const openMenu = (page: Page) => page.getByRole('button', { name: 'Menu', exact: true }).click()
const dialog = (page: Page) => page.getByRole('dialog')
const card = (name: string) => (page: Page) => page.getByRole('article', { name, exact: true })
const region = (name: string) => (page: Page) => page.getByRole('region', { name, exact: true })
const rowOf = (person: Exclude<Person, 'visitor'>) => (page: Page) =>
  page.getByRole('article').filter({ hasText: `walk-${of(person)}` })

/** Holds the requests of a call back until the returned function is called. */
async function hold(page: Page, url: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(url, async (route) => {
    await released
    await route.continue()
  })
  return release
}

const menuEntries = [
  'Dashboard',
  'Link Shortener',
  'Bio Link',
  'My Links',
  'Popup Generator',
  'Upgrade',
  'Affiliates',
]

async function expectMenu(page: Page, name: 'Main' | 'Admin', entries: string[]): Promise<void> {
  const links = page.getByRole('navigation', { name, exact: true }).getByRole('link')
  await expect.poll(() => links.allInnerTexts()).toEqual(entries)
}

/** The answer about the subscription of a person who pays for Pro. */
async function payForPro(page: Page): Promise<void> {
  const json = { subscribed: true, plan: 'pro', subscription_end: '2031-05-06T12:00:00Z' }
  await page.route('**/functions/v1/check-subscription', (route) => route.fulfill({ json }))
}

const sections: Record<string, Line[]> = {
  'Screens and routes': [
    {
      says: "404 page, text 'Oops! Page not found', with a link back home",
      at: '/no/such/page',
      shows: ['Oops! Page not found'],
      leadsTo: [[['link', 'Return to Home'], '/']],
    },
    {
      says: '/404 is also the redirect target for missing short codes and bio pages',
      at: '/no-such-code',
      shows: ['Oops! Page not found'],
      leadsTo: [[undefined, '/404']],
    },
  ],

  'Home (/)': [
    {
      says: 'Header with logo, theme toggle (light, dark, system; default light) and dropdown menu',
      at: '/',
      within: (page) => page.getByRole('banner'),
      shows: [
        ['link', 'Hoplet'],
        ['button', 'Theme'],
        ['button', 'Menu'],
      ],
      async check(page) {
        await page.getByRole('button', { name: 'Theme', exact: true }).click()
        const themes = page.getByRole('group', { name: 'Theme' }).getByRole('button')
        await expect.poll(() => themes.allInnerTexts()).toEqual(['Light', 'Dark', 'System'])
        expect(await themes.first().getAttribute('aria-pressed')).toBe('true')
      },
    },
    {
      says: "On a phone too: badge 'Free URL Shortener & QR Generator' and line 'Shorten your URLs instantly and create beautiful QR codes'",
      at: '/',
      width: 360,
      shows: [
        'Free URL Shortener & QR Generator',
        ['heading', 'Shorten your URLs instantly and create beautiful QR codes'],
      ],
    },
    {
      says: "Hero: badge 'Free URL Shortener & QR Generator' and line 'Shorten your URLs instantly and create beautiful QR codes'",
      at: '/',
      shows: [
        'Free URL Shortener & QR Generator',
        ['heading', 'Shorten your URLs instantly and create beautiful QR codes'],
      ],
    },
    {
      says: 'long-URL input, Shorten button, optional custom code input with a hint showing the resulting short link',
      first: (page) => page.getByLabel('Custom code').fill('my-link'),
      shows: [
        ['textbox', 'Long URL'],
        ['textbox', 'Custom code'],
        ['button', 'Shorten'],
      ],
      check: (page) => page.getByText(`${server.url}/my-link`).waitFor(),
    },
    {
      says: 'Three feature cards: Instant Shortening, QR Codes, Lightning Fast. Footer credit line',
      shows: [
        ['heading', 'Instant Shortening'],
        ['heading', 'QR Codes'],
        ['heading', 'Lightning Fast'],
        /Open source, made with care\./,
      ],
    },
    {
      says: "Anonymous users pressing Shorten get dialog 'Login Required'",
      async first(page) {
        await page.getByLabel('Long URL').fill('https://shop.example/')
        await page.getByRole('button', { name: 'Shorten', exact: true }).click()
      },
      within: dialog,
      shows: [
        ['heading', 'Login Required'],
        'You need to be logged in to create shortened links. Sign in to your account or create a new one to get started.',
        ['button', 'Cancel'],
        ['link', 'Go to Login'],
      ],
      leadsTo: [[['link', 'Go to Login'], '/auth']],
    },
    {
      says: 'The same hero, feature cards and credit line, and a plan and usage card for signed-in users',
      at: '/',
      as: 'free',
      shows: [
        'Free URL Shortener & QR Generator',
        ['heading', 'Shorten your URLs instantly and create beautiful QR codes'],
        ['heading', 'Instant Shortening'],
        ['heading', 'QR Codes'],
        ['heading', 'Lightning Fast'],
        /Open source, made with care\./,
      ],
      check: (page) => region('Plan and usage')(page).getByText('Free plan').waitFor(),
    },
    {
      says: "Shorten shows 'Creating...' while busy",
      async first(page) {
        const release = await hold(page, '**/rest/v1/shortened_urls*')
        await page.getByLabel('Long URL').fill('https://shop.example/')
        await page.getByLabel('Custom code').fill(`result-${of('free')}`)
        await page.getByRole('button', { name: 'Shorten', exact: true }).click()
        await page.getByRole('button', { name: 'Creating...' }).waitFor()
        release()
      },
    },
    {
      says: 'Result card: short link, copy button, Show/Hide QR Code toggle, colour picker for the QR colour, Download QR Code button (PNG named after the short link)',
      within: region('Your short link'),
      async first(page) {
        await page.getByRole('button', { name: 'Show QR Code' }).click()
      },
      shows: [
        ['link', new RegExp(`/result-`)],
        ['button', /^Cop(y|ied)/],
        ['button', 'Hide QR Code'],
        ['button', 'Download QR Code'],
      ],
      async check(page) {
        await region('Your short link')(page).getByLabel('QR Code Color').waitFor()
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download QR Code' }).click()
        expect((await download).suggestedFilename()).toBe(`result-${of('free')}.png`)
      },
    },
  ],

  Menu: [
    {
      says: 'Dashboard, Link Shortener, Bio Link, My Links, Popup Generator, Upgrade, Affiliates',
      at: '/',
      first: openMenu,
      check: (page) => expectMenu(page, 'Main', menuEntries),
    },
    {
      says: 'Admin (admins only, to /admin)',
      at: '/',
      as: 'admin',
      first: openMenu,
      async check(page) {
        await expectMenu(page, 'Main', [...menuEntries, 'Admin'])
        const admin = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
        expect(await admin.last().getAttribute('href')).toBe('/admin')
      },
    },
    {
      says: 'My Links (to /dashboard)',
      at: '/',
      as: 'leaver',
      first: openMenu,
      within: (page) => page.getByRole('navigation', { name: 'Main', exact: true }),
      leadsTo: [[['link', 'My Links'], '/dashboard']],
    },
    {
      says: 'When signed in: Get Started button (to /upgrade)',
      first: openMenu,
      leadsTo: [[['link', 'Get Started'], '/upgrade']],
    },
    {
      says: 'Sign Out (signs out then goes to /)',
      first: openMenu,
      leadsTo: [[['button', 'Sign Out'], '/']],
      check: (page) => page.getByRole('button', { name: 'Sign Out' }).waitFor(),
    },
  ],

  'Auth (/auth)': [
    {
      says: 'Sign-in fields: email, password',
      at: '/auth',
      within: (page) => page.getByRole('main'),
      shows: [
        ['textbox', 'Email'],
        ['button', 'Sign In'],
      ],
      lacks: [['textbox', /^Display name/]],
      check: (page) => page.getByLabel('Password', { exact: true }).waitFor(),
    },
    {
      says: 'Toggle between sign-in and sign-up. Sign-up adds optional display name and optional referral code',
      first: (page) => page.getByRole('main').getByRole('button', { name: 'Sign Up' }).click(),
      within: (page) => page.getByRole('main'),
      shows: [
        ['textbox', /^Display name/],
        ['textbox', /^Referral code/],
        ['button', 'Sign Up'],
        ['button', 'Sign In'],
      ],
    },
    {
      says: 'After sign-up an account-created notice appears and the screen switches to sign-in',
      async first(page) {
        await page.getByLabel('Email').fill(`walk-${of('free')}@example.com`)
        await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
        await page.getByRole('main').getByRole('button', { name: 'Sign Up' }).first().click()
        await expectNotice(page, 'Account Created!', 'You can now log in')
      },
      shows: [['button', 'Sign In']],
      lacks: [['textbox', /^Display name/]],
    },
    {
      says: "Submit is locked while in progress ('Please wait...'); after sign-in everyone else goes to /dashboard",
      async first(page) {
        const release = await hold(page, '**/auth/v1/token*')
        await page.getByLabel('Password', { exact: true }).fill('hop hop hop')
        await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
        await page.getByRole('button', { name: 'Please wait...' }).waitFor()
        release()
      },
      leadsTo: [[undefined, '/dashboard']],
    },
    {
      says: 'After sign-in an admin goes to /admin',
      at: '/auth',
      async first(page) {
        await page.getByLabel('Email').fill(people.admin.email)
        await page.getByLabel('Password', { exact: true }).fill(people.admin.password)
        await page.getByRole('main').getByRole('button', { name: 'Sign In' }).first().click()
      },
      leadsTo: [[undefined, '/admin']],
    },
    {
      says: 'referral code prefilled from the ref query parameter',
      at: '/auth?ref=ABCD1234',
      check: (page) =>
        expect.poll(() => page.getByLabel('Referral code').inputValue()).toBe('ABCD1234'),
    },
  ],

  "Dashboard (/dashboard, 'My Links')": [
    {
      says: 'Empty state with Create Link button (to /)',
      at: '/dashboard',
      as: 'newcomer',
      shows: [['heading', 'My Links']],
      leadsTo: [[['link', 'Create Link'], '/']],
    },
    {
      says: 'Lists the user’s links with a search box; no-match state with Clear Search',
      at: '/dashboard',
      as: 'pro',
      first: (page) => page.getByLabel('Search links').fill('nothing like this'),
      shows: [['button', 'Clear Search']],
    },
    {
      says: 'The search matches short code or redirect URL, case-insensitive',
      async first(page) {
        for (const typed of [`WALK-${of('pro')}`, 'SHOP.example/SPRING']) {
          await page.getByLabel('Search links').fill(typed)
          await expect.poll(() => page.getByRole('article').count()).toBe(1)
        }
        await page.getByLabel('Search links').fill('')
      },
    },
    {
      says: 'Each row: host/short code, copy button, open-in-new-tab link, redirect URL, click count, creation date',
      within: rowOf('pro'),
      shows: [
        ['button', 'Copy link'],
        ['link', 'Open in a new tab'],
        /shop\.example\/spring/,
        /^0\s*click/,
      ],
      async check(page) {
        const row = rowOf('pro')(page)
        const host = new URL(server.url).host
        expect(await row.innerText()).toContain(`${host}/walk-${of('pro')}`)
        await row.getByRole('time').waitFor()
        await row.getByRole('button', { name: 'Copy link' }).click()
        await row.getByRole('button', { name: 'Copied' }).waitFor()
      },
    },
    {
      says: "Share buttons open Twitter, Facebook, Telegram, WhatsApp with the short link and text 'Check out this link!'",
      first: (page) => rowOf('pro')(page).getByRole('button', { name: 'More actions' }).click(),
      async check(page) {
        for (const name of ['Twitter', 'Facebook', 'Telegram', 'WhatsApp']) {
          const link = rowOf('pro')(page).getByRole('link', { name, exact: true })
          const href = decodeURIComponent((await link.getAttribute('href')) ?? '')
          expect(href).toContain(`${server.url}/walk-${of('pro')}`)
          expect(href).toContain('Check out this link!')
        }
      },
    },
    {
      says: 'Edit and delete per row',
      within: rowOf('pro'),
      shows: [
        ['button', 'Edit'],
        ['button', 'Delete'],
      ],
    },
    {
      says: "Edit dialog 'Edit Redirect URL': short code read-only, redirect URL field, 'Enable Opt-in Popup' switch, and when on a popup picker",
      at: '/dashboard',
      as: 'pro',
      async first(page) {
        await chooseForLink(rowOf('pro')(page), 'Edit')
        await dialog(page).getByText('Enable Opt-in Popup').click()
      },
      within: dialog,
      shows: [
        ['heading', 'Edit Redirect URL'],
        ['textbox', 'Redirect URL'],
        ['switch', 'Enable Opt-in Popup'],
        ['combobox', 'Popup'],
      ],
      check: (page) =>
        expect
          .poll(() => dialog(page).getByLabel('Short code').getAttribute('readonly'))
          .not.toBeNull(),
    },
    {
      says: "Otherwise an 'Upgrade to view clicks' button to /upgrade",
      at: '/dashboard',
      as: 'free',
      within: rowOf('free'),
      leadsTo: [[['link', 'Upgrade to view clicks'], '/upgrade']],
    },
    {
      says: "with no popups it says 'No popups available. Create one' linking to /popup-generator",
      at: '/dashboard',
      as: 'free',
      async first(page) {
        await chooseForLink(rowOf('free')(page), 'Edit')
        await dialog(page).getByText('Enable Opt-in Popup').click()
      },
      within: dialog,
      shows: [/^No popups available\. Create one/],
      leadsTo: [[['link', 'Create one'], '/popup-generator']],
    },
    {
      says: 'Unauthenticated users go to /auth',
      at: '/dashboard',
      leadsTo: [[undefined, '/auth']],
    },
    {
      says: 'admins go to /admin',
      at: '/dashboard',
      as: 'admin',
      leadsTo: [[undefined, '/admin']],
    },
  ],

  'Upgrade (/upgrade)': [
    {
      says: 'Cards Free, Pro (marked Most Popular), Business, each with a current-plan indicator, an upgrade button',
      at: '/upgrade',
      as: 'free',
      check: async (page) => {
        await card('Free')(page).getByText('Current Plan', { exact: true }).waitFor()
        await card('Pro')(page).getByText('Most Popular', { exact: true }).waitFor()
        await card('Pro')(page).getByRole('button', { name: 'Upgrade to Pro' }).waitFor()
        await card('Business')(page).getByRole('button', { name: 'Upgrade to Business' }).waitFor()
      },
    },
    {
      says: 'a Manage Subscription button for paid current plans',
      at: '/',
      as: 'pro',
      async first(page) {
        await payForPro(page)
        await page.goto('/upgrade')
      },
      within: card('Pro'),
      shows: ['Current Plan', ['button', 'Manage Subscription']],
    },
    {
      says: "Query success=true shows 'Payment successful!' and refreshes the subscription",
      async first(page) {
        const asked = page.waitForRequest('**/functions/v1/check-subscription')
        await page.goto('/upgrade?success=true')
        await expectNotice(page, 'Payment successful!')
        await asked
      },
    },
    {
      says: 'Footer: all plans include secure HTTPS links and unlimited redirects; contact for enterprise',
      shows: [
        'All plans include secure HTTPS links and unlimited redirects.',
        'Contact us for enterprise plans.',
      ],
    },
    {
      says: 'Signed-out users pressing upgrade go to /auth',
      at: '/upgrade',
      within: card('Pro'),
      leadsTo: [[['button', 'Upgrade to Pro'], '/auth']],
    },
  ],

  'Affiliate dashboard': [
    {
      says: "Stat cards: total referrals, total earnings, commission rate '25% / 10%'",
      at: '/affiliates',
      as: 'free',
      shows: ['Total Referrals', 'Total Earnings', 'Commission Rate', '25% / 10%'],
    },
    {
      says: 'Referral link (origin plus ?ref=code) with copy button',
      within: region('Your referral link'),
      async first(page) {
        await region('Your referral link')(page).getByRole('button', { name: 'Copy Link' }).click()
        await expectNotice(page, 'Copied!', 'Referral link copied to clipboard')
      },
      check: async (page) =>
        expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
          /^http:\/\/[^/]+\/?\?ref=[A-Z0-9]{8}$/,
        ),
    },
    {
      says: 'How-it-works explanation. The 10 latest commissions',
      first: plantCommissions,
      shows: [
        ['heading', 'How it works'],
        ['heading', 'Latest commissions'],
      ],
      check: (page) =>
        expect
          .poll(() => region('Latest commissions')(page).getByRole('listitem').count())
          .toBe(10),
    },
    {
      says: 'Signed-out users go to /auth',
      at: '/affiliates',
      leadsTo: [[undefined, '/auth']],
    },
  ],

  'Bio link editor': [
    {
      says: 'Sections: page settings, conversion popup, colour theme, social links, links',
      at: '/bio-link',
      as: 'pro',
      shows: [
        ['heading', 'Page Settings'],
        ['heading', 'Conversion Popup'],
        ['heading', 'Color Theme'],
        ['heading', 'Social Links'],
        ['heading', 'Links'],
      ],
    },
    {
      says: 'Preview opens /{slug} in a new tab',
      async check(page) {
        const opened = page.context().waitForEvent('page')
        await page.getByRole('link', { name: 'Preview', exact: true }).click()
        await (await opened).waitForURL(`**/page-${of('pro')}`)
      },
    },
    { says: 'Cancel goes to /dashboard', leadsTo: [[['link', 'Cancel'], '/dashboard']] },
    {
      says: 'Signed-out users go to /auth',
      at: '/bio-link',
      leadsTo: [[undefined, '/auth']],
    },
  ],

  'Demo bio page': [
    {
      says: "Static sample profile with a QR code and note 'Demo Page - Not the real profile'",
      at: '/demo',
      shows: [['heading', '@mayafields'], ['img', /QR code/i], 'Demo Page - Not the real profile'],
    },
  ],

  'Popup generator': [
    {
      says: "Title 'AI Popup Generator'; button to My Popups",
      at: '/popup-generator',
      as: 'pro',
      shows: [['heading', 'AI Popup Generator']],
      within: (page) => page.getByRole('main'),
      leadsTo: [[['link', 'My Popups'], '/my-popups']],
    },
    {
      says: "'Edit Popup' when editing",
      at: () => `/popup-generator?edit=${popupId}`,
      as: 'pro',
      shows: [
        ['heading', 'Edit Popup'],
        ['button', 'Update Popup'],
      ],
    },
    {
      says: "AI content (prompt 'Describe your popup'); AI design (prompt 'Describe your design vision'); AI image (prompt 'Describe the image')",
      at: '/popup-generator',
      as: 'pro',
      first: openParts,
      shows: [
        ['heading', 'AI Content'],
        ['textbox', 'Describe your popup'],
        ['heading', 'AI Design'],
        ['textbox', 'Describe your design vision'],
        ['heading', 'AI Image'],
        ['textbox', 'Describe the image'],
      ],
    },
    {
      says: "Each AI generator shows 'Generating...' while busy",
      async first(page) {
        for (const [label, action, call] of [
          ['Describe your popup', 'Generate Content', 'generate-popup-content'],
          ['Describe your design vision', 'Generate Design', 'generate-popup-content'],
          ['Describe the image', 'Generate Image', 'generate-popup-image'],
        ] as const) {
          const release = await hold(page, `**/functions/v1/${call}`)
          await page.getByLabel(label).fill('A spring sale of tulips')
          await page.getByRole('button', { name: action }).click()
          await page.getByRole('button', { name: 'Generating...' }).waitFor()
          release()
          await page.getByRole('button', { name: action }).waitFor()
        }
      },
    },
    {
      says: 'generated image shown with a Remove button',
      shows: [['button', /^Remove/]],
    },
    {
      says: 'Design Customization (background, text, button and button-text colours via picker plus text box; border radius slider; font style select; shadow style select)',
      shows: [
        ['heading', 'Design Customization'],
        ['textbox', 'Background color'],
        ['textbox', 'Text color'],
        ['textbox', 'Button color'],
        ['textbox', 'Button text color'],
        ['slider', 'Border radius'],
        ['combobox', 'Font style'],
        ['combobox', 'Shadow style'],
      ],
      async check(page) {
        for (const name of ['Background', 'Text', 'Button', 'Button text'])
          await page.getByLabel(`${name} color, picker`, { exact: true }).waitFor()
        await expectRange(page, 'Border radius', '0', '24')
        await expectOptions(page, 'Font style', ['Casual', 'Professional', 'Modern', 'Elegant'])
        await expectOptions(page, 'Shadow style', ['None', 'Soft', 'Medium', 'Bold'])
      },
    },
    {
      says: 'Popup Content (Title *, Description, Button Text *, Button URL optional, checkbox Collect Email Address with hint that the email is submitted to the button URL as a form parameter)',
      shows: [
        ['heading', 'Popup Content'],
        ['textbox', /^Title \*/],
        ['textbox', /^Description/],
        ['textbox', /^Button Text \*/],
        ['textbox', /^Button URL.*optional/],
        ['checkbox', /^Collect Email Address/],
        /^The email is submitted to the button URL as a form parameter/,
      ],
    },
    {
      says: 'Display Settings (position center/top/bottom; checkbox Enable Trigger Delay with a 0 to 10 second slider; popup size select)',
      first: (page) => page.getByLabel('Enable Trigger Delay').check(),
      shows: [
        ['heading', 'Display Settings'],
        ['combobox', 'Position'],
        ['checkbox', /^Enable Trigger Delay/],
        ['slider', 'Trigger delay'],
        ['combobox', 'Popup size'],
      ],
      async check(page) {
        await expectOptions(page, 'Position', ['Center', 'Top', 'Bottom'])
        await expectRange(page, 'Trigger delay', '0', '10')
      },
    },
    {
      says: 'Sticky Live Preview: title, description, optional image, optional email input, button; placeholders',
      async first(page) {
        await page.getByRole('textbox', { name: /^Title \*/ }).fill('')
        await page.getByRole('textbox', { name: /^Description/ }).fill('')
      },
      within: region('Live Preview'),
      shows: ['Your Title Here', 'Your description will appear here...'],
      async check(page) {
        await page.getByLabel('Collect Email Address').check()
        for (const part of ['img', 'input[type="email"]', '.hp-popup-button'])
          await region('Live Preview')(page).locator(part).first().waitFor()
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
        await expect.poll(() => isInSight(region('Live Preview')(page))).toBe(true)
      },
    },
    {
      says: "Cancel and Create/Update buttons ('Saving...' while busy). On save success goes to /my-popups",
      async first(page) {
        await page.getByRole('textbox', { name: /^Title \*/ }).fill('Made on the walk')
        await page.getByRole('link', { name: 'Cancel', exact: true }).last().waitFor()
        const release = await hold(page, '**/rest/v1/popups*')
        await page.getByRole('button', { name: 'Create Popup' }).click()
        await page.getByRole('button', { name: 'Saving...' }).waitFor()
        release()
      },
      leadsTo: [[undefined, '/my-popups']],
    },
    {
      says: 'A failed load of a popup for editing goes to /my-popups',
      at: '/popup-generator?edit=00000000-0000-4000-8000-000000000000',
      as: 'pro',
      leadsTo: [[undefined, '/my-popups']],
    },
  ],

  'My Popups': [
    {
      says: "Empty state 'You haven't created any popups yet' with Create Your First Popup",
      at: '/my-popups',
      as: 'free',
      shows: ["You haven't created any popups yet"],
      leadsTo: [[['link', 'Create Your First Popup'], '/popup-generator']],
    },
    {
      says: "Heading, subtitle 'Manage your conversion popups', Create New Popup button",
      at: '/my-popups',
      as: 'pro',
      shows: [
        ['heading', /^My Popups/],
        'Manage your conversion popups',
        ['link', 'Create New Popup'],
      ],
    },
    {
      says: 'Cards: image, title, two-line description, background and button colour swatches, Edit and delete',
      within: card('Spring sale'),
      shows: [
        ['heading', 'Spring sale'],
        'Everything in the shop',
        ['link', 'Edit Spring sale'],
        ['button', 'Delete Spring sale'],
      ],
      async check(page) {
        for (const title of ['Background: #ffffff', 'Button: #3b82f6'])
          await card('Spring sale')(page).getByTitle(title).waitFor()
      },
    },
    {
      says: 'Delete opens confirm (Cancel/Delete)',
      first: (page) => page.getByRole('button', { name: 'Delete Spring sale' }).click(),
      within: dialog,
      shows: [
        /Are you sure you want to delete this popup\? This action cannot be undone\./,
        ['button', 'Cancel'],
        ['button', 'Delete'],
      ],
    },
  ],

  Admin: [
    {
      says: 'Header menu: Dashboard, User Management, System Status, Exit Admin (to /dashboard)',
      at: '/admin',
      as: 'admin',
      first: openMenu,
      async check(page) {
        const links = page.getByRole('navigation', { name: 'Admin', exact: true }).getByRole('link')
        await expect
          .poll(async () => (await links.allInnerTexts()).slice(0, 3))
          .toEqual(['Dashboard', 'User Management', 'System Status'])
      },
      leadsTo: [[['link', 'Exit Admin'], '/dashboard']],
    },
    {
      says: "Dashboard cards: User Management and System Status ('All systems operational', static text)",
      at: '/admin',
      as: 'admin',
      shows: [
        ['heading', 'User Management'],
        ['heading', 'System Status'],
        'All systems operational',
      ],
    },
    {
      says: "Users screen: table Email, Display Name, Role, Plan, Created, Actions; 'Total users: N'; Back to Admin button",
      at: '/admin/users',
      as: 'admin',
      shows: [/^Total users: \d+/, ['link', 'Back to Admin']],
      check: (page) =>
        expect
          .poll(async () =>
            (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim()),
          )
          .toEqual(['Email', 'Display Name', 'Role', 'Plan', 'Created', 'Actions']),
    },
    {
      says: "delete button with browser confirm 'Are you sure you want to delete this user? This action cannot be undone.'",
      async first(page) {
        const asked = new Promise<string>((resolve) =>
          page.once('dialog', (question) => {
            resolve(question.message())
            void question.dismiss()
          }),
        )
        await page
          .getByRole('button', { name: /^Delete/ })
          .first()
          .click()
        expect(await asked).toBe(
          'Are you sure you want to delete this user? This action cannot be undone.',
        )
      },
    },
    {
      says: 'Edit dialog (Display Name, Role, Plan, Save Changes)',
      first: (page) => page.getByRole('button', { name: /^Edit/ }).first().click(),
      within: dialog,
      shows: [
        ['textbox', 'Display Name'],
        ['combobox', 'Role'],
        ['combobox', 'Plan'],
        ['button', 'Save Changes'],
      ],
    },
    {
      says: 'Sign Out (then /)',
      at: '/admin',
      as: 'admin',
      first: openMenu,
      leadsTo: [[['button', 'Sign Out'], '/']],
    },
    {
      says: 'Non-admins are redirected to /',
      at: '/admin',
      as: 'pro',
      leadsTo: [[undefined, '/']],
    },
    { says: 'the same for /admin/users', at: '/admin/users', leadsTo: [[undefined, '/']] },
  ],

  'Public bio page (/{shortCode})': [
    {
      says: 'Avatar initial, @title, description, social icon links',
      at: () => `/${publicPage}`,
      shows: [['heading', '@maya'], 'Potter', ['link', 'GitHub']],
      check: (page) =>
        expect.poll(() => page.locator('.hp-bio .hp-avatar').first().innerText()).toBe('M'),
    },
    {
      says: 'list of links (first two prominent, the rest outlined pills)',
      check: (page) =>
        expect
          .poll(() =>
            page
              .getByRole('list', { name: 'Links', exact: true })
              .getByRole('link')
              .evaluateAll((links) =>
                links.map((link) => [
                  link.textContent,
                  link.classList.contains('hp-bio-link-prominent'),
                ]),
              ),
          )
          .toEqual([
            ['One', true],
            ['Two', true],
            ['Three', false],
          ]),
    },
    {
      says: "'No links added yet.' when none",
      at: () => `/page-${of('pro')}`,
      shows: ['No links added yet.'],
    },
    {
      says: "QR code of the page address (150 px), 'Join @{title}' link to /auth, back-to-home button, share button",
      at: () => `/${publicPage}`,
      shows: [
        ['img', /QR code/i],
        ['button', 'Share'],
      ],
      async check(page) {
        const code = await page
          .getByRole('img', { name: /QR code/i })
          .first()
          .boundingBox()
        expect([code?.width, code?.height]).toEqual([150, 150])
      },
      leadsTo: [
        [['link', 'Join @maya'], '/auth'],
        [['link', 'Back to home'], '/'],
      ],
    },
    {
      says: "Share dialog: Copy Link, X, Facebook, WhatsApp, LinkedIn, Messenger, Snapchat; profile card; 'Sign up free' (to /auth) and 'Find out more' (to /)",
      at: () => `/${publicPage}`,
      first: (page) => page.getByRole('button', { name: 'Share', exact: true }).click(),
      within: dialog,
      shows: [
        '@maya',
        ['button', 'Copy Link'],
        ['link', 'X'],
        ['link', 'Facebook'],
        ['link', 'WhatsApp'],
        ['link', 'LinkedIn'],
        ['link', 'Messenger'],
        ['link', 'Snapchat'],
      ],
      async check(page) {
        for (const [name, path] of [
          ['Sign up free', '/auth'],
          ['Find out more', '/'],
        ] as const) {
          const link = dialog(page).getByRole('link', { name, exact: true })
          expect(await link.getAttribute('href')).toBe(path)
        }
      },
    },
  ],

  'Short link page': [
    {
      says: "Shows 'Redirecting...' / 'Taking you to your destination'",
      at: () => `/popup-${of('pro')}`,
      shows: ['Redirecting...', 'Taking you to your destination'],
    },
  ],
}

async function expectOptions(page: Page, name: string, options: string[]): Promise<void> {
  const select = page.getByRole('combobox', { name, exact: true })
  expect(await select.getByRole('option').allTextContents()).toEqual(options)
}

async function expectRange(page: Page, name: string, min: string, max: string): Promise<void> {
  const slider = page.getByRole('slider', { name, exact: true })
  expect([await slider.getAttribute('min'), await slider.getAttribute('max')]).toEqual([min, max])
}

function isInSight(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < window.innerHeight
  })
}

/** A referral of the person who is free, who paid twelve times. */
async function plantCommissions(page: Page): Promise<void> {
  const payer = await makeUser(server)
  await server.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2)',
    [payer.id, people.free.id],
  )
  for (let paid = 0; paid < 12; paid++) await payInvoice(server.sql, { payer: payer.id })
  await page.reload()
}

it.each(Object.entries(sections))('%s', async (_, lines) => {
  let page: Page | undefined
  for (const line of lines)
    page = await walk(line, page).catch((error: unknown) => {
      throw new Error(`The specification says: ${line.says}`, { cause: error })
    })
  await page?.context().close()
})
