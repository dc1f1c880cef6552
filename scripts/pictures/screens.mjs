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
  async (where) => {
    for (const step of steps) await step(where)
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

/** A screen, and the steps after it has loaded. */
const at = (path, ready, ...steps) => ({
  path,
  ready,
  ...(steps.length > 0 && { act: inTurn(...steps) }),
})
const links = (...steps) => at('/dashboard', 'article', ...steps)
const link = (code, ...steps) => at(`/links/${code}`, 'text=all-time', ...steps)
const analytics = (...steps) => at('/analytics', 'text=all-time', ...steps)
const popups = (...steps) => at('/my-popups', 'main h2', ...steps)
const audience = (...steps) => at('/audience', 'ul[aria-label=Addresses]', ...steps)
const dialog = wait('dialog[open]')
const newLink = inTurn(key('n'), wait('dialog[open] >> text=Create and copy'))
const inMenu = (name) => pressInMenu('More actions', name)
const inBar =
  (name) =>
  async ({ page }) => {
    const button = page.locator('[data-bottom-bar]').getByRole('button', { name }).first()
    // Phones have some of them behind More.
    if ((await button.count()) === 0) await press('More', { in: '[data-bottom-bar]' })({ page })
    await button.click()
  }

const as = (account, screens) =>
  Object.fromEntries(
    Object.entries(screens).map(([name, screen]) => [name, { as: account, ...screen }]),
  )

const member = {
  'home-member': at('/', 'text=Since yesterday'),
  'my-links': links(),
  'my-links-selected': links(selectTwo),
  'my-links-no-match': at('/dashboard?q=nothing-like-this', 'text=Clear Search'),
  'row-menu': links(press('More actions')),
  analytics: analytics(),
  'analytics-table': analytics(press(/^Table$/)),
  affiliates: at('/affiliates', 'text=Your referral link'),
  'missing-codes': at('/dashboard/missing-codes', 'text=Missing codes'),
  'bio-link': at('/bio-link', 'text=Page Settings'),
  'popup-generator': at('/popup-generator', 'text=Or describe it'),
  'my-popups': popups(),
  'popup-results': popups(
    ({ page }) => page.locator('a[href$="/results"]').first().click(),
    wait('[data-popup-results]'),
  ),
  audience: at('/audience', 'h1'),
  upgrade: at('/upgrade', 'text=Most Popular'),
  help: at('/help', 'text=Shortcuts'),
}

/** The same screens with content that is hard to lay out. */
const hard = {
  ...Object.fromEntries(Object.entries(member).map(([name, screen]) => [`hard-${name}`, screen])),
  'hard-link-page': link('right-to-left'),
  'hard-link-endless': link('x'.repeat(50), details),
  'hard-rules': link('right-to-left', details, press('Edit rules'), wait('text=Save rules')),
  'hard-tags': links(press('Manage tags'), dialog),
  'hard-edit': links(inMenu('Edit'), dialog, openOptions),
  'hard-delete': links(selectTwo, inBar('Delete'), dialog),
  'hard-bio-page': at('/hard', 'h1'),
  'hard-popup-link': at(`/${'x'.repeat(50)}`, 'dialog[open]'),
}

const dialogs = {
  'new-link': links(newLink),
  'new-link-options': links(newLink, openOptions),
  palette: links(key('Control+k'), wait('dialog[open] >> text=/harbour-reads')),
  keys: links(key('?'), dialog),
  menu: links(press(/^Menu$/, { in: 'header' })),
  'qr-code': links(inMenu('QR code'), wait('dialog[open] >> svg')),
  'bulk-tag': links(selectTwo, inBar('Tag'), dialog),
  'bulk-popup': links(selectTwo, inBar('Popup'), dialog),
  'bulk-qr-codes': links(selectTwo, inBar('QR codes'), dialog),
  'bulk-delete': links(selectTwo, inBar('Delete'), dialog),
  'link-page': link('harbour-reads'),
  'link-details': link('harbour-reads', details),
  'share-report': link('harbour-reads', inMenu('Share report'), dialog),
  'change-code': link('harbour-reads', inMenu('Change code'), dialog),
  simulator: link('harbour-reads', details, press('iPhone in Instagram')),
  'how-we-count': link('harbour-reads', unfold('More analytics'), press('How we count'), dialog),
  'period-menu': analytics(press(/^Period/)),
  'filter-menu': analytics(press(/^Filter/)),
  'custom-range': analytics(pressInMenu(/^Period/, 'Custom'), dialog),
  'day-note': analytics(
    ({ page }) => page.getByRole('group', { name: 'Clicks by day' }).focus(),
    key('End'),
    key('Enter'),
    dialog,
  ),
  'analytics-bio': analytics(press(/Whole account|All links|Account/i)),
  'popup-uses': popups(press(/^Add to links/), dialog),
  'popup-delete': popups(press(/^Delete/), dialog),
  'popup-edit': popups(
    ({ page }) => page.getByRole('link', { name: /^Edit/ }).first().click(),
    wait('text=Popup Content'),
  ),
  ...as('hard', {
    'audience-settings': audience(press(/^Settings$/), dialog),
    'audience-tag': audience(selectTwo, inBar('Tag'), dialog),
    'audience-delete': audience(selectTwo, inBar('Delete'), dialog),
  }),
  ...as('affiliate', {
    'affiliate-qr': at('/affiliates', 'text=Your referral link', press('QR code'), dialog),
    'affiliates-earning': at('/affiliates', 'text=Show as a table'),
  }),
}

const tab = (name, ready, ...steps) => at(`/settings?tab=${name}`, ready, ...steps)
const security = (...steps) => tab('security', 'text=This device', ...steps)
const keys = (...steps) => tab('api-keys', 'text=No API keys', ...steps)
const webhooks = (...steps) => tab('webhooks', 'text=No webhooks', ...steps)
const account = (...steps) => tab('account', 'text=Download JSON', ...steps)
const settings = {
  'settings-profile': at('/settings', 'text=Current:'),
  'settings-security': security(),
  'settings-factor': security(press(/Authenticator|Add an app/i), dialog),
  'settings-domains': tab('domains', 'text=No domains'),
  'settings-apps': tab('apps', 'text=No connected apps'),
  'settings-api-keys': keys(),
  'settings-new-key': keys(press('New Key'), dialog),
  'settings-webhooks': webhooks(),
  'settings-new-webhook': webhooks(press('Add Webhook'), dialog),
  'settings-new-provider': webhooks(press(/provider/i), dialog),
  'settings-account': account(),
  'settings-delete': account(press(/^Delete/), dialog),
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
  'live-page': at('/bio-link', 'text=Name your page', savedPage),
  'empty-home': at('/', 'text=Free plan'),
  'empty-my-links': at('/dashboard', 'text=No links yet'),
  'empty-analytics': at('/analytics', 'main >> text=Upgrade to view clicks'),
  'empty-missing-codes': at('/dashboard/missing-codes', 'main >> a[href="/upgrade"]'),
  'empty-bio-link': at('/bio-link', 'text=Name your page'),
  'empty-my-popups': at('/my-popups', 'text=Create Your First Popup'),
  'empty-audience': at('/audience', 'text=No addresses yet'),
  'empty-affiliates': at('/affiliates', 'text=No commissions yet'),
  'empty-upgrade': at('/upgrade', 'text=Most Popular'),
  'empty-new-link': at('/dashboard', 'text=No links yet', newLink),
}

/** On Free with a few links. */
const free = {
  'free-my-links': links(),
  'free-link-page': at('/links/sam-talk', 'main >> text=Upgrade'),
  'free-bio-link': at('/bio-link', 'text=Page Settings'),
}

const visitor = {
  home: at('/', 'text=Shorten your URLs instantly'),
  'home-login': at(
    '/',
    'text=Shorten your URLs instantly',
    ({ page }) => page.getByLabel('Long URL').fill('harbour.example/winter-list'),
    press(/^Shorten/),
    dialog,
  ),
  auth: at('/auth', 'input[type=password]'),
  'auth-sign-up': at('/auth?mode=sign-up', 'input[type=password]'),
  'forgot-password': at('/auth/forgot', 'text=Send Link'),
  'upgrade-visitor': at('/upgrade', 'text=Most Popular'),
  docs: at('/docs', 'h1'),
  'docs-search': at('/docs/search?q=webhook', 'h1'),
  'docs-search-none': at('/docs/search?q=hopletlessness', 'h1'),
  'docs-page': at('/docs/api', 'h1'),
  reference: at('/docs/reference', 'h1'),
  'bio-page': at('/mika', 'dialog[open]'),
  'bio-page-free': at('/sam', 'h1'),
  'popup-link': at('/mika-evening', 'dialog[open]'),
  'report-form': at('/report?name=sam-talk', 'h1'),
  demo: at('/demo', 'text=Demo Page'),
  404: at('/no/such/page', 'text=Oops! Page not found'),
}

const admin = {
  admin: at('/admin', 'text=checks passed'),
  'admin-users': at('/admin/users', 'text=Total users'),
  'admin-user-edit': at('/admin/users', 'text=Total users', press(/^Edit /), dialog),
  'admin-system': at('/admin/system', 'text=Last checked at'),
  'admin-links': at('/admin/links', 'text=Most clicked'),
  'admin-links-found': at('/admin/links?by=user&value=hard@demo.example', 'text=right-to-left'),
  'admin-block': at('/admin/links', 'text=Most clicked', press(/^Block /), dialog),
  'admin-missing-codes': at('/admin/missing-codes', 'h1'),
  'admin-reports': at('/admin/reports', 'main li, main h2'),
  'admin-payouts': at('/admin/payouts', 'text=Due'),
  'admin-audit': at('/admin/audit', 'ol[aria-label="Audit log"]'),
}

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
