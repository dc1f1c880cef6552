import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectNotice, openPage } from '../browser.ts'
import { look } from '../look.ts'
import { setStage, type Stage } from '../stage.ts'
import { callAs, stageSpace } from './space-stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

it('an owner invites without mail: the link is copied, and a new person signs up, joins and arrives', async () => {
  const space = await stageSpace(stage.server)
  const owner = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await owner.goto(`/s/${space.slug}/settings?tab=people`)
  await owner.getByText('1 of 25 seats').waitFor()
  await owner.getByRole('button', { name: 'Invite' }).click()
  const dialog = owner.getByRole('dialog')
  await look(owner, 'space-invite')
  await dialog.getByLabel('Email').fill('nobody')
  await dialog.getByRole('button', { name: 'Create Link' }).click()
  await dialog.getByText('This is not an email address').waitFor()
  await dialog.getByLabel('Email').fill('')
  await dialog.getByRole('button', { name: 'Create Link' }).click()
  await owner.getByRole('button', { name: 'Copy', exact: true }).click()
  const link = await owner.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/\/auth\/invitation#[0-9a-f]{64}$/)
  await owner.getByRole('button', { name: 'Done' }).click()
  await owner.getByText('1 of 25 seats, one invitation open').waitFor()
  await row(owner, 'Invitation for an editor')
    .getByText(/Made by Mara Lind, works once, until/)
    .waitFor()
  expect(await owner.content()).not.toContain(link.split('#')[1])

  const guest = await openPage(stage.browser, stage.server.url)
  await guest.goto(new URL(link).pathname + new URL(link).hash)
  await guest.getByRole('heading', { name: 'Join Harbour Books' }).waitFor()
  await guest.getByText(/^Editor:/).waitFor()
  await look(guest, 'space-invitation-visitor')
  await guest.getByRole('link', { name: 'Sign Up' }).last().click()
  await guest.getByLabel('Email').fill(`jonas-${process.pid}@example.com`)
  await guest.getByLabel('Password', { exact: true }).fill('correct horse 42')
  await guest.getByLabel('Display name').fill('Jonas Ek')
  await guest.getByRole('button', { name: 'Sign Up', exact: true }).click()
  // Back on the very same invitation.
  await guest.getByRole('heading', { name: 'Join Harbour Books' }).waitFor()
  await guest.getByText(`jonas-${process.pid}@example.com`).first().waitFor()
  await look(guest, 'space-invitation')
  await guest.getByRole('button', { name: 'Join Harbour Books' }).click()
  await guest.waitForURL(`**/s/${space.slug}/dashboard`)
  await guest.getByRole('button', { name: /Harbour Books.*switch accounts$/ }).waitFor()
  expect(await guest.evaluate(() => localStorage.getItem('hoplet.invitation'))).toBeNull()

  await owner.reload()
  await owner.getByText('2 of 25 seats').waitFor()
  await row(owner, 'Jonas Ek').getByText(`jonas-${process.pid}@example.com`).waitFor()
  await owner.getByText('Used invitations (1)').click()
  await owner.getByText(/used by Jonas Ek/).waitFor()
  await look(owner, 'space-people')
  await guest.context().close()
  await owner.context().close()
})

it('two people work in one space, and each sees the links of the other', async () => {
  const space = await stageSpace(stage.server)
  const editor = await space.join('editor')
  const [first, second] = [
    await openPage(stage.browser, stage.server.url, { user: space.owner }),
    await openPage(stage.browser, stage.server.url, { user: editor }),
  ]
  for (const [page, name] of [
    [first, 'of-mara'],
    [second, 'of-the-editor'],
  ] as const) {
    await page.goto(`/s/${space.slug}/dashboard`)
    await page.getByRole('button', { name: /^New link/ }).click()
    await page.getByRole('dialog').getByLabel('Destination').fill(`https://example.com/${name}`)
    await page.keyboard.press('Enter')
    await page.getByText(name).first().waitFor()
  }
  await first.reload()
  await first.getByText('of-the-editor').first().waitFor()
  await first.getByText('of-mara').first().waitFor()
  await first.context().close()
  await second.context().close()
})

it('an owner changes a role, removes a person, renews and withdraws an invitation by keyboard', async () => {
  const space = await stageSpace(stage.server)
  const editor = await space.join('editor')
  await space.invite('viewer')
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await page.goto(`/s/${space.slug}/settings?tab=people`)
  await page.getByLabel('Role of Harbour Books editor').selectOption('viewer')
  await expectNotice(page, 'Role changed')
  expect(
    await stage.server.sql('select role from app.members where person_id = $1', [editor.id]),
  ).toEqual([{ role: 'viewer' }])
  // The last owner cannot give up the role.
  await page.getByLabel('Role of Mara Lind').selectOption('viewer')
  await page.getByRole('dialog').getByRole('button', { name: 'Change Role' }).press('Enter')
  await expectNotice(
    page,
    'The role was not changed',
    'Harbour Books needs an owner. Make somebody else an owner first, or delete the space.',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('button', { name: /^New link: Invitation/ }).press('Enter')
  await page.getByRole('textbox', { name: 'Link' }).waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).press('Enter')
  await page.getByRole('button', { name: /^Withdraw: Invitation/ }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).press('Enter')
  await expectNotice(page, 'Invitation withdrawn', 'Its link no longer works')
  await page.getByRole('button', { name: 'Actions for Harbour Books editor' }).press('Enter')
  await page.getByRole('button', { name: 'Remove from space' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter')
  await expectNotice(page, 'Person removed', 'Their keys and apps stopped working')
  await page.getByText('1 of 25 seats').waitFor()
  await page.context().close()
})

it('invitations that are over, for somebody else or of a member say so, with a way on', async () => {
  const space = await stageSpace(stage.server)
  const person = await makeUser(stage.server)
  const open = async (link: string) => {
    const page = await openPage(stage.browser, stage.server.url, { user: person })
    const { pathname, hash } = new URL(link)
    await page.goto(pathname + hash)
    return page
  }
  const other = await open(await space.invite('viewer', 'aino@example.com'))
  await other.getByText(/for another email address/).waitFor()
  await other.getByRole('button', { name: 'Join Harbour Books' }).click()
  await other.getByText(/another email address, or you have not confirmed yours/).waitFor()
  await look(other, 'space-invitation-other')
  await other.context().close()

  const link = await space.invite('viewer')
  const first = await open(link)
  await first.getByRole('button', { name: 'Join Harbour Books' }).click()
  await first.waitForURL(`**/s/${space.slug}/dashboard`)
  await first.context().close()
  const used = await open(link)
  await used.getByRole('heading', { name: 'This invitation is over' }).waitFor()
  await look(used, 'space-invitation-over')
  await used.getByRole('link', { name: 'Harbour Books' }).click()
  await used.waitForURL(`**/s/${space.slug}/dashboard`)
  await used.context().close()

  const member = await open(await space.invite('editor'))
  await member.getByRole('button', { name: 'Join Harbour Books' }).click()
  await member.getByText('You are a member of this space already.').waitFor()
  await member.getByRole('link', { name: 'Harbour Books' }).click()
  await member.waitForURL(`**/s/${space.slug}/dashboard`)
  await member.context().close()
})

it('an owner renames, moves and deletes a space, and a member leaves it', async () => {
  const space = await stageSpace(stage.server)
  const viewer = await space.join('viewer')
  const member = await openPage(stage.browser, stage.server.url, { user: viewer })
  await member.goto(`/s/${space.slug}/settings`)
  await member.getByRole('button', { name: 'Leave Space' }).click()
  await member.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
  await member.waitForURL((url) => url.pathname === '/dashboard')
  await member.goto(`/s/${space.slug}/dashboard`)
  await member.getByRole('heading', { name: /no such space/ }).waitFor()
  await member.context().close()

  const taken = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await page.goto(`/s/${space.slug}/settings`)
  await look(page, 'space-profile')
  await page.getByLabel('Name', { exact: true }).fill('Harbour Press')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expectNotice(page, 'Saved', 'The space was updated')
  await page.getByRole('button', { name: /Harbour Press.*switch accounts$/ }).waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill(taken.slug)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Another space has this address already.').waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill(`press-${process.pid}`)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(`**/s/press-${process.pid}/settings`)
  await page.getByRole('button', { name: 'Delete Space' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete Space' }).click()
  await dialog.getByText('Type Harbour Press to confirm', { exact: true }).waitFor()
  await dialog.getByLabel('Space name').fill('Harbour Press')
  await look(page, 'space-delete')
  await dialog.getByRole('button', { name: 'Delete Space' }).click()
  await page.waitForURL((url) => url.pathname === '/dashboard')
  expect(await stage.server.sql('select from auth.users where id = $1', [space.id])).toEqual([])
  await page.context().close()
})

it('a new key names its account, and acts for the space', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await page.goto(`/s/${space.slug}/settings?tab=api-keys`)
  await page.getByRole('button', { name: 'New Key' }).click()
  await page.getByText('The key acts for Harbour Books.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Script')
  await page.getByRole('button', { name: 'Create Key' }).click()
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue()
  const made = await fetch(`${stage.server.url}/rest/v1/shortened_urls?select=user_id`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ original_url: 'https://example.com/' }),
  })
  expect(await made.json()).toEqual([{ user_id: space.id }])
  // The person's own account has no such key.
  const own = await callAs(stage.server, space.owner, 'session_facts', {})
  expect(own).toMatchObject({ member_role: 'owner' })
  await page.context().close()
})
