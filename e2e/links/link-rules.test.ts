/** @module-tag extended */
import type { Browser, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const call = async (
  user: TestUser,
  path: string,
  body: unknown,
  headers = {},
): Promise<unknown> => {
  const response = await fetch(`${server.url}/rest/v1/${path}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(response.status).toBeLessThan(300)
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}

const rulesOf = (user: TestUser, linkId: string) => call(user, 'rpc/link_rules', { _link: linkId })
const saveRules = (user: TestUser, linkId: string, version: number, rules: unknown) =>
  call(user, 'rpc/save_link_rules', { _link: linkId, _rules: rules, _version: version })

const isFocused = (page: Page, name: string) =>
  expect
    .poll(() =>
      page.evaluate(() => {
        const { activeElement: element } = document
        const labels = element instanceof HTMLElement && 'labels' in element ? element.labels : null
        const label = (labels as NodeListOf<HTMLLabelElement> | null)?.[0]?.textContent
        return label ?? element?.getAttribute('aria-label') ?? element?.textContent
      }),
    )
    .toBe(name)

it(
  'I write two rules and put them in another order by keyboard on a phone',
  { tags: ['gate'] },
  async () => {
    const user = await makeUser(server)
    const link = await makeLink(server, user)
    const page = await openPage(browser, server.url, { user, width: 360 })
    await page.goto(`/links/${link.short_code}`)
    await page.getByText('Every visitor goes to the destination').waitFor()
    await page.getByRole('button', { name: 'Send some elsewhere' }).press('Enter')
    await page.getByLabel('If', { exact: true }).focus()
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab')
    await page.keyboard.type('Germany')
    await page.keyboard.press('Enter')
    await page.keyboard.type('at,')
    await page.getByRole('button', { name: 'Remove Austria' }).waitFor()

    // Without an address the rule is refused at the field.
    await page.getByRole('button', { name: 'Save rules' }).press('Enter')
    await isFocused(page, 'Address')
    await page.keyboard.type('example.com/de')
    await page.getByRole('button', { name: 'Add rule' }).press('Enter')
    const second = page.getByRole('group', { name: 'Rule 2' })
    await isFocused(page, 'If')
    await second.getByLabel('If', { exact: true }).selectOption('App')
    await second.getByRole('button', { name: 'Instagram' }).press('Space')
    await second.getByLabel('Target').selectOption('A/B split')
    await second.getByLabel('Address A').fill('https://example.com/a')
    await second.getByLabel('Address B').fill('https://example.com/b')
    await second.getByLabel('Percent').first().fill('60')
    await page.keyboard.press('Enter')
    await second.getByText('these add up to 110').waitFor()
    await second.getByLabel('Percent').last().fill('40')
    await look(page, 'rules-editor')
    await second.getByRole('button', { name: 'Move up' }).press('Enter')
    await isFocused(page, 'Move up')
    await page.getByText('Rule 2 is rule 1 now.').waitFor()
    await page.getByRole('button', { name: 'Save rules' }).press('Enter')
    await expectNotice(page, 'Rules saved')
    await page.getByText('Country is Germany or Austria').waitFor()
    await look(page, 'rules-in-words')
    expect(await rulesOf(user, link.id)).toMatchObject({
      version: 1,
      rules: [
        {
          when: [{ fact: 'in_app', is: ['instagram'] }],
          split: [
            { to: 'https://example.com/a', weight: 60 },
            { to: 'https://example.com/b', weight: 40 },
          ],
        },
        { when: [{ fact: 'country', is: ['DE', 'AT'] }], to: 'https://example.com/de' },
      ],
    })
    await page.context().close()
  },
)

it('Every kind of condition and target that a program saved comes through my editor unchanged', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const rules = [
    {
      id: 'all',
      when: [
        { fact: 'region', is_not: ['Bavaria'] },
        { fact: 'city', is: ['Berlin'] },
        { fact: 'language', is: ['de', 'es-AR'] },
        { fact: 'system', is: ['ios'] },
        { fact: 'device', is_not: ['tablet'] },
        { fact: 'browser', is: ['safari'] },
        { fact: 'in_app', is_not: ['any'] },
        { fact: 'address', is: ['10.*'] },
        { fact: 'weekday', is: ['monday'], zone: 'Asia/Tokyo' },
        { fact: 'hours', is: ['22:00-06:00'], zone: 'Asia/Tokyo' },
        { fact: 'before', is: ['2099-12-24T17:00:00.000Z'] },
        { fact: 'after', is: ['2026-01-01T00:00:30.000Z'] },
        { fact: 'first_visit', is: [true] },
        { fact: 'source', is: ['qr'] },
        { fact: 'query', is: ['=mail', 'empty'], name: 'ref' },
        { fact: 'share', is: [25] },
      ],
      app: { ios: 'https://example.com/ios', fallback: 'https://example.com/other' },
    },
    {
      id: 'rest',
      else: true,
      split: [
        { id: 'own', to: 'https://example.com/', weight: 70 },
        { id: 'new', to: 'https://example.com/new', weight: 30 },
      ],
    },
  ]
  await saveRules(user, link.id, 0, rules)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  await page.getByRole('button', { name: 'Edit rules' }).click()
  await look(page, 'rules-all-facts')
  await page.getByRole('button', { name: 'Save rules' }).click()
  await expectNotice(page, 'Rules saved')
  expect(await rulesOf(user, link.id)).toEqual({ version: 2, rules })
  await page.context().close()
})

it('Rules that were changed in another tab are not overwritten without my choice', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  const edit = async (share: string) => {
    const start = page.getByRole('button', { name: /^(Send some elsewhere|Edit rules)$/ })
    const hasRules = (await start.textContent()) === 'Edit rules'
    await start.click()
    if (hasRules) await page.getByRole('button', { name: 'Add rule' }).click()
    const last = page.getByRole('group', { name: /^Rule/ }).last()
    await last.getByLabel('If', { exact: true }).selectOption('Share of visitors')
    await last.getByLabel('Percent').fill(share)
    await last.getByLabel('Address').fill('https://example.com/mine')
  }
  await edit('10')
  const theirs = { id: 'theirs', when: [{ fact: 'share', is: [20] }], to: 'https://example.com/' }
  await saveRules(user, link.id, 0, [theirs])
  await page.getByRole('button', { name: 'Save rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'The rules were changed somewhere else' })
  await look(page, 'rules-conflict')
  await dialog.getByRole('button', { name: 'Take the Other One' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Percent').inputValue()).toBe('20')
  await page.getByRole('button', { name: 'Cancel' }).click()

  await edit('30')
  await saveRules(user, link.id, 1, [])
  await page.getByRole('button', { name: 'Save rules' }).click()
  await dialog.getByRole('button', { name: 'Keep Mine' }).click()
  await expectNotice(page, 'Rules saved')
  expect(await rulesOf(user, link.id)).toMatchObject({ version: 3, rules: [theirs, {}] })
  await page.context().close()
})

it('I am asked before I leave rules that are not saved, and before a save that breaks a test', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  await call(user, 'link_expectations', {
    link_id: link.id,
    name: 'The poster reaches the menu',
    visit: { source: 'qr' },
    expected_url: link.original_url,
  })
  const page = await openPage(browser, server.url, { user })
  await page.goto(`/links/${link.short_code}`)
  await page.getByRole('button', { name: 'Send some elsewhere' }).click()
  await page.getByLabel('If', { exact: true }).selectOption('Source')
  await page.getByRole('button', { name: 'QR code', exact: true }).click()
  await page.getByLabel('Address').fill('https://example.com/other')
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
  await page.getByRole('link', { name: 'My Links' }).first().click()
  await leaving.getByRole('button', { name: 'Keep Editing' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page
    .getByRole('dialog', { name: 'Discard the changes?' })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.getByRole('button', { name: 'Save rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'This breaks an expectation' })
  await dialog.getByText('“The poster reaches the menu” would not be met any more.').waitFor()
  await look(page, 'rules-broken')
  expect(await rulesOf(user, link.id)).toMatchObject({ version: 0 })
  await dialog.getByRole('button', { name: 'Save anyway' }).click()
  await expectNotice(page, 'Rules saved')
  expect(await rulesOf(user, link.id)).toMatchObject({ version: 1 })
  await page.context().close()
})

it('I try a visit, see which rule decides and why the others do not, and keep it as a test', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  await saveRules(user, link.id, 0, [
    { when: [{ fact: 'country', is: ['DE'] }], to: 'https://example.com/de' },
    { when: [{ fact: 'in_app', is: ['instagram'] }], to: 'https://example.com/app' },
  ])
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto(`/links/${link.short_code}`)
  await page.getByRole('button', { name: 'Test a visit' }).click()
  const card = page.getByRole('dialog', { name: 'Test a visit' })
  await card.getByText('More conditions').press('Enter')
  await card.getByLabel('Country').selectOption('France')
  await card.getByRole('button', { name: 'iPhone in Instagram' }).press('Enter')
  await card.getByText('Rule 2 decides: Opened in Instagram.').waitFor()
  await card.getByText('Rule 1: The country is FR, and the rule asks for DE.').waitFor()
  await card.getByText('https://example.com/app').waitFor()
  await card.getByLabel('Source').selectOption('QR code')
  await card.getByRole('button', { name: 'Show result' }).press('Enter')
  await card.getByRole('button', { name: 'Save as test' }).press('Enter')
  await card.getByText('A test needs a name.').waitFor()
  await page.keyboard.type('The poster reaches the app')
  await look(page, 'simulator')
  await card.getByRole('button', { name: 'Save as test' }).click()
  await expectNotice(page, 'Test saved')
  await card.getByRole('button', { name: 'Close' }).click()
  const expectations = page.getByRole('region', { name: 'Saved tests' })
  await expectations.getByText('Holds now').waitFor()

  const { version } = (await rulesOf(user, link.id)) as { version: number }
  await call(
    user,
    'rpc/save_link_rules',
    { _link: link.id, _rules: [], _version: version },
    { prefer: 'expectations=ignore' },
  )
  await page.reload()
  await expectations.getByText('Does not hold: leads to https://example.com').waitFor()
  await look(page, 'expectations')
  await expectations.getByRole('button', { name: 'Delete The poster reaches the app' }).click()
  await expectNotice(page, 'Test deleted')
  await expectations.waitFor({ state: 'hidden' })
  await page.context().close()
})

it('I change the destination of a link although that breaks a saved test, after a question', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  await call(user, 'link_expectations', {
    link_id: link.id,
    name: 'The poster reaches the menu',
    visit: {},
    expected_url: link.original_url,
  })
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto(`/links/${link.short_code}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
  const edit = page.getByRole('dialog', { name: 'Edit Redirect URL' })
  await edit.getByLabel('Redirect URL').fill('https://example.com/new')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  const question = page.getByRole('dialog', { name: 'This breaks an expectation' })
  await question.getByText('“The poster reaches the menu” would not be met any more.').waitFor()
  await look(page, 'edit-broken')
  await question.getByRole('button', { name: 'Keep Editing' }).click()
  expect(await edit.getByLabel('Redirect URL').inputValue()).toBe('https://example.com/new')
  await edit.getByRole('button', { name: 'Save Changes' }).click()
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await expectNotice(page, 'Updated!')
  await edit.waitFor({ state: 'hidden' })
  const [row] = await server.sql('select original_url from app.shortened_urls where id = $1', [
    link.id,
  ])
  expect(row).toEqual({ original_url: 'https://example.com/new' })
  await page.context().close()
})

it('I see the results of my splits as bars, without knowing where they are', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto(`/links/${link.short_code}`)
  await page.getByText('Every visitor goes to the destination').waitFor()
  expect(await page.getByRole('heading', { name: 'A/B results' }).count()).toBe(0)
  await saveRules(user, link.id, 0, [
    {
      id: 'mail',
      when: [{ fact: 'query', name: 'ref', is: ['=mail'] }],
      split: [
        { id: 'a', to: 'https://example.com/a', weight: 60 },
        { id: 'b', to: 'https://example.com/b', weight: 40 },
      ],
    },
    {
      id: 'rest',
      else: true,
      split: [
        { id: 'own', weight: 50 },
        { id: 'new', to: 'https://example.com/new', weight: 50 },
      ],
    },
  ])
  for (let visitor = 0; visitor < 12; visitor++)
    await fetch(`${server.url}/${link.short_code}`, {
      redirect: 'manual',
      headers: { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Chrome/1${visitor + 10}.0` },
    })
  await expect
    .poll(
      async () =>
        (
          await server.sql('select click_count::int n from app.shortened_urls where id = $1', [
            link.id,
          ])
        )[0],
      { timeout: 60_000 },
    )
    .toEqual({ n: 12 })
  await page.reload()
  await page.getByRole('heading', { name: 'A/B results' }).waitFor()
  const rest = page.getByRole('region', { name: 'Results: Everyone else' })
  await rest.getByText('Without a popup, only clicks can be compared.').waitFor()
  await rest.getByText('12 clicks in the last 90 days').waitFor()
  const clicks = (await rest.getByRole('listitem').allTextContents()).map((text) =>
    Number(/(\d+) clicks?$/.exec(text)?.[1]),
  )
  expect(clicks.reduce((sum, each) => sum + each)).toBe(12)
  await page
    .getByRole('region', { name: 'Results: Parameter ref is “mail”' })
    .getByText('No clicks in the last 90 days.')
    .waitFor()
  await look(page, 'split-results')
  await page.context().close()
})

it('the page says each option of a link in words, and the editor of rules stays low on a phone', async () => {
  const user = await makeUser(server, { plan: 'pro' })
  const link = await makeLink(server, user)
  const page = await openPage(browser, server.url, { user, width: 360 })
  await page.goto(`/links/${link.short_code}`)
  const card = page.getByRole('region', { name: 'Behavior' })
  for (const words of [
    'Every visitor goes to the destination',
    'Never ends',
    'No password',
    'Shows no popup',
    'Passes no query parameters on',
    'Chat apps show the page’s own preview',
    'You have no bio page yet',
  ])
    await card.getByText(words).waitFor()
  await card.scrollIntoViewIfNeeded()
  await look(page, 'behavior')
  await card.getByRole('button', { name: 'Split visitors (A/B)' }).click()
  await page.getByLabel('Address B').fill('https://example.com/b')
  for (let rule = 0; rule < 3; rule++)
    await page.getByRole('button', { name: 'Add rule', exact: true }).click()
  const editor = page.locator('form', { has: page.getByRole('button', { name: 'Save rules' }) })
  const { height = 0 } = (await editor.boundingBox()) ?? {}
  expect(height).toBeLessThan(2_500)
  const fact = await page.getByLabel('If', { exact: true }).first().boundingBox()
  const match = await page.getByLabel('Match').first().boundingBox()
  expect(match?.y).toBeGreaterThan((fact?.y ?? 0) + (fact?.height ?? 0) - 1)
  await look(page, 'rules-phone')
  await page.context().close()
})
