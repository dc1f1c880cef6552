import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { look } from '../look.ts'
import { expectAccessible, openPage } from '../browser.ts'
import { setStage, type Stage } from '../stage.ts'
import { callAs, stageSpace } from './space-stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

it('a person makes a space by keyboard, works in it, and finds the own account unchanged', async () => {
  const user = await makeUser(stage.server, { data: { display_name: 'Mara Lind' } })
  const page = await openPage(stage.browser, stage.server.url, { user })
  await page.goto('/dashboard')
  const switcher = page.getByRole('button', { name: /switch accounts$/ })
  await switcher.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Create a space' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a space' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Create a space' })
  await dialog.getByLabel('Name').fill('Größe & Söhne')
  const slug = dialog.getByLabel('Address')
  await expect.poll(() => slug.inputValue()).toBe('grosse-sohne')
  await slug.fill('a')
  await dialog.getByText(/2 to 48 characters/).waitFor()
  await slug.fill(`books-${process.pid}`)
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/s/books-${process.pid}/dashboard`)
  await page.getByRole('button', { name: /Größe & Söhne.*switch accounts$/ }).waitFor()

  // A link that is made here belongs to the space.
  await page.keyboard.press('n')
  await page.getByRole('dialog').getByLabel('Destination').fill('https://example.com/space')
  await page.keyboard.press('Enter')
  await page.getByText('example.com/space').first().waitFor()
  const [link] = await stage.server.sql<{ user_id: string }>(
    `select user_id from app.shortened_urls where original_url = 'https://example.com/space'`,
  )
  expect(link?.user_id).not.toBe(user.id)
  // Links of the app stay in the space.
  await page.getByRole('link', { name: 'Analytics', exact: true }).first().click()
  await page.waitForURL(`**/s/books-${process.pid}/analytics`)
  await look(page, 'space-analytics')

  await page.getByRole('button', { name: /switch accounts$/ }).click()
  await page.getByRole('link', { name: /Mara Lind/ }).click()
  await page.waitForURL((url) => url.pathname === '/analytics')
  await page.goto('/dashboard')
  await page.getByText('No links yet').or(page.getByText(/first/i)).first().waitFor()
  expect(await page.getByText('example.com/space').count()).toBe(0)
  await page.context().close()
})

it('a person on a phone finds the accounts in You, and makes a space there', async () => {
  const user = await makeUser(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user, width: 360 })
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'You', exact: true }).click()
  await page.getByRole('button', { name: 'Create a space' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a space' })
  await dialog.getByLabel('Name').fill('Bistro Nord')
  await dialog.getByLabel('Address').fill(`nord-${process.pid}`)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create Space' }).click()
  await page.waitForURL(`**/s/nord-${process.pid}/dashboard`)
  await page.context().close()
})

it('the plan that allows no further space is said in the dialog, with a way to the plans', async () => {
  const user = await makeUser(stage.server)
  await callAs(stage.server, user, 'create_space', { _slug: `one-${process.pid}`, _name: 'One' })
  const page = await openPage(stage.browser, stage.server.url, { user })
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /switch accounts$/ }).click()
  await page.getByRole('button', { name: 'Create a space' }).click()
  await page.getByLabel('Name').fill('Two')
  await page.getByLabel('Address').fill(`one-${process.pid}`)
  await page.getByRole('button', { name: 'Create Space' }).click()
  const plans = page.getByRole('alert').getByRole('link', { name: 'See the plans' })
  expect(await plans.getAttribute('href')).toBe('/upgrade')
  await page.getByText('Your plan allows you to own 1 space.').waitFor()
  await page.context().close()
})

it('the address of a foreign space and of none is the same page, with a way back', async () => {
  const space = await stageSpace(stage.server)
  const stranger = await makeUser(stage.server)
  const texts = []
  for (const slug of [space.slug, 'no-such-space']) {
    const page = await openPage(stage.browser, stage.server.url, { user: stranger })
    await page.goto(`/s/${slug}/links/abc`)
    await page.getByRole('heading', { name: /no such space, or you are not a member/ }).waitFor()
    texts.push(await page.locator('body').innerText())
    await look(page, 'space-absent')
    await page.getByRole('link', { name: 'Go to your links' }).click()
    await page.waitForURL('**/dashboard')
    await page.context().close()
  }
  expect(texts[0]).toBe(texts[1])
  // The control: a member gets the screen.
  const page = await openPage(stage.browser, stage.server.url, { user: await space.join('viewer') })
  await page.goto(`/s/${space.slug}/dashboard`)
  await page.getByRole('heading', { name: 'My Links' }).waitFor()
  await page.context().close()
})

it('a person who is signed out comes to the screen of the space after signing in', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url)
  await page.goto(`/s/${space.slug}/my-popups`)
  await page.waitForURL(/\/auth\?next=/)
  await page.getByLabel('Email').fill(space.owner.email)
  await page.getByLabel('Password', { exact: true }).fill(space.owner.password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.waitForURL(`**/s/${space.slug}/my-popups`)
  await page.getByRole('heading', { name: 'My Popups' }).waitFor()
  // Signing out in a space ends on Home, as everywhere.
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await page.getByRole('link', { name: 'Sign In' }).first().waitFor()
  await page.context().close()
})

it('two tabs in two accounts keep their links, drafts and reports apart', async () => {
  const space = await stageSpace(stage.server)
  const page = await openPage(stage.browser, stage.server.url, { user: space.owner })
  await page.goto(`/s/${space.slug}`)
  const other = await page.context().newPage()
  await other.goto('/')
  await page
    .getByLabel(/destination|long/i)
    .first()
    .fill('https://example.com/of-the-space')
  await other.reload()
  expect(await other.locator('input').first().inputValue()).toBe('')
  await page.getByRole('button', { name: /^Shorten/ }).click()
  await page.getByText(/Copy/).first().waitFor()
  await other.goto('/dashboard')
  expect(await other.getByText('of-the-space').count()).toBe(0)
  await page.goto(`/s/${space.slug}/dashboard`)
  await page.getByText('of-the-space').first().waitFor()
  // Signing out in one tab signs out of both.
  await other.getByRole('button', { name: 'Menu', exact: true }).click()
  await other.getByRole('button', { name: 'Sign Out' }).click()
  await page.waitForURL(/\/auth/)
  await page.context().close()
})
