import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink } from '#test/factories.ts'
import { forgive, openPage } from '../browser.ts'
import { look } from '../look.ts'
import { setStage, type Stage } from '../stage.ts'
import { callAs, stageSpace, type StagedSpace } from './space-stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

/** Words of controls that write. */
const writing =
  /^(new link|edit|edit .*|delete|delete .*|add (?!a logo).*|change( .*)?|create .*|import|save.*|restore.*|turn on|set.*|customize.*|duplicate|archive|invite|note|share report|upgrade.*|go pro|manage plan|\+ tag|active|send some elsewhere|split visitors.*|check again|make this link.*|remove from space|new link:.*|make default)$/i

/** Names of the buttons, links and fields that write, as far as they are shown. */
async function writeControls(page: Page): Promise<string[]> {
  const main = page.locator('button, a, [role=switch], [role=menuitem]')
  const names = await main.evaluateAll((all) =>
    all
      .filter((element) => element.checkVisibility())
      .map((element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim()),
  )
  return names.filter((name) => writing.test(name.replace(/[NE]$/, '').trim()))
}

/** Everything of the screen is there. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('button', { name: /switch accounts$/ }).waitFor()
  await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0)
}

async function fillSpace(space: StagedSpace): Promise<void> {
  const headers = {
    ...space.owner.headers,
    'content-type': 'application/json',
    'x-hoplet-account': space.id,
  }
  const post = async (table: string, body: object) => {
    const answer = await fetch(`${stage.server.url}/rest/v1/${table}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
  }
  await post('shortened_urls', {
    original_url: 'https://example.com/autumn',
    short_code: `list-${space.slug}`,
    title: 'Autumn list',
  })
  await post('popups', { title: 'Ten percent', description: 'Off', cta_text: 'Take it' })
}

const screens = (slug: string) => [
  'dashboard',
  `links/list-${slug}`,
  'dashboard/missing-codes',
  'dashboard/health',
  'analytics',
  'bio-link',
  'my-popups',
  `qr?link=list-${slug}`,
  'settings',
  'settings?tab=people',
  'settings?tab=domains',
  'help',
]

it('a viewer sees the links, reports and people of a space, and no control that writes', async () => {
  const space = await stageSpace(stage.server)
  await fillSpace(space)
  const page = await openPage(stage.browser, stage.server.url, { user: await space.join('viewer') })
  const found: string[] = []
  // Its screens ask for nothing that the role is refused.
  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(`${answer.request().method()} ${answer.url()}`)
  })
  for (const screen of screens(space.slug)) {
    await page.goto(`/s/${space.slug}/${screen}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await settled(page)
    for (const name of await writeControls(page)) found.push(`${screen}: ${name}`)
  }
  expect(found).toEqual([])
  expect(refused).toEqual([])
  // The keys of the list write nothing either.
  await page.goto(`/s/${space.slug}/dashboard`)
  await page.getByText('Autumn list').first().waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'More actions' }).first().click()
  expect(await writeControls(page)).toEqual([])
  await look(page, 'space-viewer-links')
  await page.goto(`/s/${space.slug}/links/list-${space.slug}`)
  await page.getByText('Behavior').waitFor()
  await look(page, 'space-viewer-link')
  expect(refused).toEqual([])
  // No audience: neither in the sidebar nor at its address.
  expect(await page.getByRole('link', { name: 'Audience' }).count()).toBe(0)
  for (const screen of ['audience', 'popup-generator', 'dashboard/import', 'upgrade']) {
    await page.goto(`/s/${space.slug}/${screen}`)
    await page.getByText('Your role does not open this screen').waitFor()
  }
  await page.goto(`/s/${space.slug}`)
  await page.waitForURL('**/dashboard')

  // The control: an owner has them on each screen of the list, where the same look finds them.
  const owner = await openPage(stage.browser, stage.server.url, { user: space.owner })
  for (const screen of [
    'dashboard',
    `links/list-${space.slug}`,
    'my-popups',
    'settings?tab=people',
    'settings?tab=domains',
  ]) {
    await owner.goto(`/s/${space.slug}/${screen}`)
    await owner.getByRole('heading', { level: 1 }).first().waitFor()
    await settled(owner)
    await expect
      .poll(async () => (await writeControls(owner)).length, { message: screen, timeout: 60_000 })
      .toBeGreaterThan(1)
  }
  await owner.goto(`/s/${space.slug}/audience`)
  await owner.getByRole('heading', { name: 'Audience' }).waitFor()
  await page.context().close()
  await owner.context().close()
})

it('an editor writes links and tags the audience, without settings, keys, webhooks and plan', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: await space.join('editor') })
  await page.goto(`/s/${space.slug}/dashboard`)
  await settled(page)
  await page.keyboard.press('n')
  await page.getByRole('dialog').getByLabel('Destination').fill('https://example.com/by-the-editor')
  await page.keyboard.press('Enter')
  await page.getByText('by-the-editor').first().waitFor()
  await page.goto(`/s/${space.slug}/audience`)
  await page.getByRole('heading', { name: 'Audience' }).waitFor()
  expect(await page.getByRole('button', { name: 'Settings', exact: true }).count()).toBe(0)
  await page.goto(`/s/${space.slug}/settings?tab=webhooks`)
  const tabs = page.getByRole('navigation', { name: 'Space settings' })
  await tabs.getByRole('link', { name: 'People' }).waitFor()
  expect(await tabs.getByRole('link').allInnerTexts()).toEqual(['Profile', 'People', 'Domains'])
  await tabs.getByRole('link', { name: 'People' }).click()
  await page.getByText('Mara Lind').waitFor()
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  expect(await page.getByText(space.owner.email).count()).toBe(0)
  await page.context().close()
})

it('an editor who is removed while typing loses no text and reads why', async () => {
  const space = await stageSpace(stage.server)
  const editor = await space.join('editor')
  const page = await openPage(stage.browser, stage.server.url, { user: editor })
  await page.goto(`/s/${space.slug}/dashboard`)
  await settled(page)
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Destination').fill('https://example.com/a-long-address-of-a-poster')
  await callAs(stage.server, space.owner, 'remove_member', { _person: editor.id }, space.id)
  await page.keyboard.press('Enter')
  await page.getByText(/not a member of this space any more/).waitFor()
  expect(await dialog.getByLabel('Destination').inputValue()).toBe(
    'https://example.com/a-long-address-of-a-poster',
  )
  forgive(/403/)
  await page.context().close()
})

it('an editor who becomes a viewer while typing keeps the text and reads why', async () => {
  const space = await stageSpace(stage.server)
  const editor = await space.join('editor')
  const page = await openPage(stage.browser, stage.server.url, { user: editor })
  await page.goto(`/s/${space.slug}/popup-generator`)
  const title = page.getByLabel('Title').first()
  await title.fill('A week of poems')
  const change = { _person: editor.id, _role: 'viewer' }
  await callAs(stage.server, space.owner, 'set_member_role', change, space.id)
  await page.getByRole('button', { name: 'Create Popup' }).first().click()
  await page.getByText('Your role in this space does not allow this').first().waitFor()
  expect(await title.inputValue()).toBe('A week of poems')
  // The sidebar follows the new role.
  await expect.poll(() => page.getByRole('button', { name: /^New link/ }).count()).toBe(0)
  await page.context().close()
})

it('an open tab of a deleted space becomes the page for absent ones', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: await space.join('viewer') })
  await page.goto(`/s/${space.slug}/dashboard`)
  await page.getByRole('heading', { name: 'My Links' }).waitFor()
  await callAs(stage.server, space.owner, 'delete_space', { _slug: space.slug }, space.id)
  // Its stream of clicks ends, and the next request is refused.
  await page.getByRole('heading', { name: /no such space, or you are not a member/ }).waitFor()
  await page.context().close()
})

it('the history of a link names the member who changed it', async () => {
  const space = await stageSpace(stage.server)
  const editor = await space.join('editor')
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  const headers = { ...editor.headers, 'x-hoplet-account': space.id }
  const link = await makeLink(stage.server, { ...editor, id: space.id, headers })
  const changed = await fetch(`${stage.server.url}/rest/v1/shortened_urls?id=eq.${link.id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ original_url: 'https://example.com/2' }),
  })
  expect(changed.status).toBe(204)
  await page.goto(`/s/${space.slug}/links/${link.short_code}`)
  await page.getByText(/Harbour Books editor, just now/).waitFor()
  await page.context().close()
})
