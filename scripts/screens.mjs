// The screens that `npm run screenshots` takes pictures of, and their dialogs.

const press =
  (name, { in: part = 'main' } = {}) =>
  ({ page }) =>
    page.locator(part).getByRole('button', { name }).first().click()
const pressInMenu =
  (menu, name) =>
  async ({ page }) => {
    await press(menu)({ page })
    await press(name, { in: '[popover]:popover-open' })({ page })
  }
const inTurn =
  (...steps) =>
  async (at) => {
    for (const step of steps) await step(at)
  }
const key =
  (name) =>
  ({ page }) =>
    page.keyboard.press(name)
const wait =
  (selector) =>
  ({ page }) =>
    page.waitForSelector(selector)
const openOptions = inTurn(
  press('More options', { in: 'dialog[open]' }),
  wait('dialog[open] >> text=Query forwarding'),
)
const selectTwo = async ({ page }) => {
  // Phones show the checkboxes once a row is selected.
  if ((await page.getByRole('checkbox', { name: /^Select / }).count()) === 0)
    await pressInMenu('More actions', 'Select')({ page })
  for (const box of (await page.getByRole('checkbox', { name: /^Select / }).all()).slice(0, 2))
    await box.check()
}
/** Opens a part that is folded on phones only. */
const unfold =
  (name) =>
  async ({ page }) => {
    const fold = page.getByRole('button', { name })
    if ((await fold.count()) > 0) await fold.click()
  }
const details = inTurn(unfold('Details'), wait('text=Edit rules'))

const member = {
  'home-member': { path: '/', ready: 'text=Since yesterday' },
  'my-links': { path: '/dashboard', ready: 'article' },
  'my-links-selected': { path: '/dashboard', ready: 'article', act: selectTwo },
  'my-links-no-match': { path: '/dashboard?q=nothing-like-this', ready: 'text=Clear Search' },
  'row-menu': { path: '/dashboard', ready: 'article', act: press('More actions') },
  analytics: { path: '/analytics', ready: 'text=all-time' },
  'analytics-table': {
    path: '/analytics',
    ready: 'text=all-time',
    act: press(/^Table$/),
  },
  affiliates: { path: '/affiliates', ready: 'text=Your referral link' },
  'missing-codes': { path: '/dashboard/missing-codes', ready: 'text=Missing codes' },
  'bio-link': { path: '/bio-link', ready: 'text=Page Settings' },
  'popup-generator': { path: '/popup-generator', ready: 'text=Or describe it' },
  'my-popups': { path: '/my-popups', ready: 'main h2' },
  'popup-results': {
    path: '/my-popups',
    ready: 'main h2',
    act: inTurn(
      ({ page }) => page.locator('a[href$="/results"]').first().click(),
      wait('[data-popup-results]'),
    ),
  },
  audience: { path: '/audience', ready: 'h1' },
  upgrade: { path: '/upgrade', ready: 'text=Most Popular' },
  help: { path: '/help', ready: 'text=Shortcuts' },
}

/** The same screens with content that is hard to lay out. */
const hard = {
  ...Object.fromEntries(
    Object.entries(member).map(([name, screen]) => [`hard-${name}`, { ...screen, as: 'hard' }]),
  ),
  'hard-link-page': { path: '/links/right-to-left', ready: 'text=all-time' },
  'hard-link-endless': { path: `/links/${'x'.repeat(50)}`, ready: 'text=all-time', act: details },
  'hard-rules': {
    path: '/links/right-to-left',
    ready: 'text=all-time',
    act: inTurn(details, press('Edit rules'), wait('text=Save rules')),
  },
  'hard-tags': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(press('Manage tags'), wait('dialog[open]')),
  },
  'hard-edit': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(pressInMenu('More actions', 'Edit'), wait('dialog[open]'), openOptions),
  },
  'hard-delete': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(selectTwo, press('Delete', { in: '[data-bottom-bar]' }), wait('dialog[open]')),
  },
  'hard-bio-page': { path: '/hard', ready: 'h1' },
  'hard-popup-link': { path: `/${'x'.repeat(50)}`, ready: 'dialog[open]' },
}

const dialogs = {
  'new-link': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(key('n'), wait('dialog[open] >> text=Create and copy')),
  },
  'new-link-options': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(key('n'), wait('dialog[open] >> text=Create and copy'), openOptions),
  },
  palette: {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(key('Control+k'), wait('dialog[open] >> text=/harbour-reads')),
  },
  keys: { path: '/dashboard', ready: 'article', act: inTurn(key('?'), wait('dialog[open]')) },
  menu: { path: '/dashboard', ready: 'article', act: press(/^Menu$/, { in: 'header' }) },
  'qr-code': {
    path: '/dashboard',
    ready: 'article',
    act: inTurn(pressInMenu('More actions', 'QR code'), wait('dialog[open] >> svg')),
  },
  ...Object.fromEntries(
    [
      ['tag', 'Tag'],
      ['popup', 'Popup'],
      ['qr-codes', 'QR codes'],
      ['delete', 'Delete'],
    ].map(([name, button]) => [
      `bulk-${name}`,
      {
        path: '/dashboard',
        ready: 'article',
        act: inTurn(selectTwo, press(button, { in: '[data-bottom-bar]' }), wait('dialog[open]')),
      },
    ]),
  ),
  'link-page': { path: '/links/harbour-reads', ready: 'text=all-time' },
  'link-details': { path: '/links/harbour-reads', ready: 'text=all-time', act: details },
  'share-report': {
    path: '/links/harbour-reads',
    ready: 'text=all-time',
    act: inTurn(pressInMenu('More actions', 'Share report'), wait('dialog[open]')),
  },
  'change-code': {
    path: '/links/harbour-reads',
    ready: 'text=all-time',
    act: inTurn(pressInMenu('More actions', 'Change code'), wait('dialog[open]')),
  },
  simulator: {
    path: '/links/harbour-reads',
    ready: 'text=all-time',
    act: inTurn(details, press('iPhone in Instagram')),
  },
  'how-we-count': {
    path: '/links/harbour-reads',
    ready: 'text=all-time',
    act: inTurn(unfold('More analytics'), press('How we count'), wait('dialog[open]')),
  },
  'period-menu': { path: '/analytics', ready: 'text=all-time', act: press(/^Period/) },
  'filter-menu': { path: '/analytics', ready: 'text=all-time', act: press(/^Filter/) },
  'custom-range': {
    path: '/analytics',
    ready: 'text=all-time',
    act: inTurn(pressInMenu(/^Period/, 'Custom'), wait('dialog[open]')),
  },
  'day-note': {
    path: '/analytics',
    ready: 'text=all-time',
    act: inTurn(
      ({ page }) => page.getByRole('group', { name: 'Clicks by day' }).focus(),
      key('End'),
      key('Enter'),
      wait('dialog[open]'),
    ),
  },
  'analytics-bio': {
    path: '/analytics',
    ready: 'text=all-time',
    act: press(/Whole account|All links|Account/i),
  },
  'popup-uses': {
    path: '/my-popups',
    ready: 'main h2',
    act: inTurn(press(/^Add to links/), wait('dialog[open]')),
  },
  'popup-delete': {
    path: '/my-popups',
    ready: 'main h2',
    act: inTurn(press(/^Delete/), wait('dialog[open]')),
  },
  'popup-edit': {
    path: '/my-popups',
    ready: 'main h2',
    act: inTurn(
      ({ page }) => page.getByRole('link', { name: /^Edit/ }).first().click(),
      wait('text=Popup Content'),
    ),
  },
  'audience-settings': {
    path: '/audience',
    as: 'hard',
    ready: 'ul[aria-label=Addresses]',
    act: inTurn(press(/^Settings$/), wait('dialog[open]')),
  },
  'audience-tag': {
    path: '/audience',
    as: 'hard',
    ready: 'ul[aria-label=Addresses]',
    act: inTurn(selectTwo, press('Tag', { in: '[data-bottom-bar]' }), wait('dialog[open]')),
  },
  'audience-delete': {
    path: '/audience',
    as: 'hard',
    ready: 'ul[aria-label=Addresses]',
    act: inTurn(selectTwo, press('Delete', { in: '[data-bottom-bar]' }), wait('dialog[open]')),
  },
  'affiliate-qr': {
    path: '/affiliates',
    as: 'affiliate',
    ready: 'text=Your referral link',
    act: inTurn(press('QR code'), wait('dialog[open]')),
  },
  'affiliates-earning': {
    path: '/affiliates',
    as: 'affiliate',
    ready: 'text=Show as a table',
  },
}

const settings = {
  'settings-profile': { path: '/settings', ready: 'text=Current:' },
  'settings-security': { path: '/settings?tab=security', ready: 'text=This device' },
  'settings-factor': {
    path: '/settings?tab=security',
    ready: 'text=This device',
    act: inTurn(press(/Authenticator|Add an app/i), wait('dialog[open]')),
  },
  'settings-apps': { path: '/settings?tab=apps', ready: 'text=No connected apps' },
  'settings-api-keys': { path: '/settings?tab=api-keys', ready: 'text=No API keys' },
  'settings-new-key': {
    path: '/settings?tab=api-keys',
    ready: 'text=No API keys',
    act: inTurn(press('New Key'), wait('dialog[open]')),
  },
  'settings-webhooks': { path: '/settings?tab=webhooks', ready: 'text=No webhooks' },
  'settings-new-webhook': {
    path: '/settings?tab=webhooks',
    ready: 'text=No webhooks',
    act: inTurn(press('Add Webhook'), wait('dialog[open]')),
  },
  'settings-new-provider': {
    path: '/settings?tab=webhooks',
    ready: 'text=No webhooks',
    act: inTurn(press(/provider/i), wait('dialog[open]')),
  },
  'settings-account': { path: '/settings?tab=account', ready: 'text=Download JSON' },
  'settings-delete': {
    path: '/settings?tab=account',
    ready: 'text=Download JSON',
    act: inTurn(press(/^Delete/), wait('dialog[open]')),
  },
}

/** Answers the save of a first bio page without storing it: the account stays new for the next picture. */
const savedPage = async ({ page }) => {
  await page.route('**/rpc/save_bio_page', async (route) => {
    const { page: fields } = route.request().postDataJSON()
    const row = { ...fields, id: crypto.randomUUID(), visit_count: 0, version: 'first' }
    await route.fulfill({ json: { page: row, links: [], social_links: [] } })
  })
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await press('Continue')({ page })
  await press(/^Save$/)({ page })
  await page.waitForSelector('dialog[open]')
}

/** A new account: empty states. */
const empty = {
  'live-page': { path: '/bio-link', ready: 'text=Name your page', act: savedPage },
  'empty-home': { path: '/', ready: 'text=Free plan' },
  'empty-my-links': { path: '/dashboard', ready: 'text=No links yet' },
  'empty-analytics': { path: '/analytics', ready: 'main >> text=Upgrade to view clicks' },
  'empty-missing-codes': { path: '/dashboard/missing-codes', ready: 'main >> a[href="/upgrade"]' },
  'empty-bio-link': { path: '/bio-link', ready: 'text=Name your page' },
  'empty-my-popups': { path: '/my-popups', ready: 'text=Create Your First Popup' },
  'empty-audience': { path: '/audience', ready: 'text=No addresses yet' },
  'empty-affiliates': { path: '/affiliates', ready: 'text=No commissions yet' },
  'empty-upgrade': { path: '/upgrade', ready: 'text=Most Popular' },
  'empty-new-link': {
    path: '/dashboard',
    ready: 'text=No links yet',
    act: inTurn(key('n'), wait('dialog[open] >> text=Create and copy')),
  },
}

/** On Free with a few links. */
const free = {
  'free-my-links': { path: '/dashboard', ready: 'article' },
  'free-link-page': { path: '/links/sam-talk', ready: 'main >> text=Upgrade' },
  'free-bio-link': { path: '/bio-link', ready: 'text=Page Settings' },
}

const visitor = {
  home: { path: '/', ready: 'text=Shorten your URLs instantly' },
  'home-login': {
    path: '/',
    ready: 'text=Shorten your URLs instantly',
    act: inTurn(
      ({ page }) => page.getByLabel('Long URL').fill('harbour.example/winter-list'),
      press(/^Shorten/),
      wait('dialog[open]'),
    ),
  },
  auth: { path: '/auth', ready: 'input[type=password]' },
  'auth-sign-up': { path: '/auth?mode=sign-up', ready: 'input[type=password]' },
  'forgot-password': { path: '/auth/forgot', ready: 'text=Send Link' },
  'upgrade-visitor': { path: '/upgrade', ready: 'text=Most Popular' },
  docs: { path: '/docs', ready: 'h1' },
  'docs-page': { path: '/docs/api', ready: 'h1' },
  reference: { path: '/docs/reference', ready: 'h1' },
  'bio-page': { path: '/mika', ready: 'dialog[open]' },
  'bio-page-free': { path: '/sam', ready: 'h1' },
  'popup-link': { path: '/mika-evening', ready: 'dialog[open]' },
  'report-form': { path: '/report?name=sam-talk', ready: 'h1' },
  demo: { path: '/demo', ready: 'text=Demo Page' },
  404: { path: '/no/such/page', ready: 'text=Oops! Page not found' },
}

const admin = {
  admin: { path: '/admin', ready: 'text=checks passed' },
  'admin-users': { path: '/admin/users', ready: 'text=Total users' },
  'admin-user-edit': {
    path: '/admin/users',
    ready: 'text=Total users',
    act: inTurn(press(/^Edit /), wait('dialog[open]')),
  },
  'admin-system': { path: '/admin/system', ready: 'text=Last checked at' },
  'admin-links': { path: '/admin/links', ready: 'text=Most clicked' },
  'admin-links-found': {
    path: '/admin/links?by=user&value=hard@demo.example',
    ready: 'text=right-to-left',
  },
  'admin-block': {
    path: '/admin/links',
    ready: 'text=Most clicked',
    act: inTurn(press(/^Block /), wait('dialog[open]')),
  },
  'admin-missing-codes': { path: '/admin/missing-codes', ready: 'h1' },
  'admin-reports': { path: '/admin/reports', ready: 'main li, main h2' },
  'admin-payouts': { path: '/admin/payouts', ready: 'text=Due' },
  'admin-audit': { path: '/admin/audit', ready: 'ol[aria-label="Audit log"]' },
}

const as = (account, screens) =>
  Object.fromEntries(
    Object.entries(screens).map(([name, screen]) => [name, { as: account, ...screen }]),
  )

/**
 * `as`: the account that is signed in. `act`: steps after the screen has loaded; the picture shows the window instead of the
 * whole page when a dialog is open.
 */
export const screens = {
  ...visitor,
  ...as('business', member),
  ...as('business', dialogs),
  ...as('business', settings),
  ...as('hard', hard),
  ...as('new', empty),
  ...as('free', free),
  ...as('admin', admin),
}
