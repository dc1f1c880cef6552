import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, expectNotice, openPage, widthsOf } from '../browser.ts'
import { plantDomain } from '../domains/plant-domain.ts'
import { look } from '../look.ts'
import { setStage, type Stage } from '../stage.ts'

let stage: Stage
setStage((ready) => {
  stage = ready
})

it('a key is made, shown once, used by a program and revoked', async () => {
  const page = await openPage(stage.browser, stage.server.url, {
    user: await makeUser(stage.server),
  })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.goto('/settings?tab=api-keys')
  await press('New Key')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create Key' }).click()
  await dialog.getByText('Give the key a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Newsletter script 部署')
  await dialog.getByLabel('Create, change and delete your links').uncheck()
  await dialog.getByLabel('Expires').selectOption('30 days')
  await dialog.getByRole('button', { name: 'Create Key' }).dblclick()
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue()
  expect(key).toMatch(/^hop_[0-9A-Za-z]{49}$/)
  // Allowed to read alone, it is tried by reading.
  const command = page.getByRole('textbox', { name: 'Try it' })
  expect(await command.inputValue()).toContain(`Bearer ${key}`)
  expect(await command.inputValue()).not.toContain('-d ')
  // The focus is on Copy, the only chance; the way out explains itself until then.
  await page.getByRole('button', { name: 'I have saved it' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await press('Done')
  await page.getByText(`hop_${key.slice(4, 8)}…`).waitFor()
  await page.getByText('Never used.').waitFor()
  expect(await page.content()).not.toContain(key)
  expect(await page.getByRole('button', { name: /^Revoke the key/ }).count()).toBe(1)

  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${stage.server.url}/rest/v1/shortened_urls`, { headers })).status
  }
  expect(await ask()).toBe(200)
  await expect
    .poll(async () => {
      await page.reload()
      await page.getByText(`hop_${key.slice(4, 8)}…`).waitFor()
      return page.getByText(/Last used/).count()
    })
    .toBe(1)
  await press('Revoke the key Newsletter script 部署')
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expectNotice(page, 'Key revoked', 'The key no longer works')
  await page.getByText('No API keys').waitFor()
  expect(await ask()).toBe(401)
  await page.context().close()
})

it('a key is limited to a domain, and says so in the list', async () => {
  const user = await makeUser(stage.server)
  const host = `keys-${Date.now()}.example`
  await plantDomain(stage.server, user, host)
  const page = await openPage(stage.browser, stage.server.url, { user })
  await page.goto('/settings?tab=api-keys')
  await page.getByRole('button', { name: 'New Key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Customer')
  await dialog.getByLabel('See how your links are clicked').check()
  await dialog.getByRole('group', { name: 'Domains' }).getByLabel(host).check()
  // A key of domains opens links alone.
  expect(await dialog.getByLabel('See how your links are clicked').count()).toBe(0)
  await look(page, 'key-domains')
  await dialog.getByRole('button', { name: 'Create Key' }).click()
  const key = await page.getByRole('textbox', { name: 'API key' }).inputValue()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ _links: [{ original_url: 'https://example.com/' }] })
  const made = await fetch(`${stage.server.url}/rest/v1/rpc/create_links`, {
    method: 'POST',
    headers,
    body,
  })
  expect(await made.json()).toMatchObject([{ status: 'created', link: { domain: host } }])
  const reports = await fetch(`${stage.server.url}/rest/v1/tags`, { headers })
  expect(reports.status).toBe(403)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByText(`On ${host}`).waitFor()
  await page.context().close()
})

it(
  'the command beside a new key makes a link and says its code',
  { tags: ['extended'] },
  async () => {
    const page = await openPage(stage.browser, stage.server.url, {
      user: await makeUser(stage.server),
    })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.goto('/settings?tab=api-keys')
    await press('New Key')
    await page.getByRole('textbox', { name: 'Name' }).fill('First')
    await press('Create Key')
    const command = await page.getByRole('textbox', { name: 'Try it' }).inputValue()
    await expectAccessible(page)
    // Its address is the public one of the server.
    const { port } = new URL(stage.server.url)
    const local = command.replace(/https?:\/\/[^/]+/, `http://127.0.0.1:${port}`)
    const { stdout } = await promisify(execFile)('sh', ['-c', `${local} -s`])
    expect(JSON.parse(stdout)).toEqual([{ short_code: expect.stringMatching(/^[0-9a-z]{6}$/) }])
    await page.context().close()
  },
)

it(
  'a key without a right is refused at its first box, and a key is copied without https',
  { tags: ['extended'] },
  async () => {
    const page = await openPage(stage.browser, stage.server.url, {
      user: await makeUser(stage.server),
    })
    // So it is on pages over plain http.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    })
    await page.goto('/settings?tab=api-keys')
    await page.getByRole('button', { name: 'New Key', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Script')
    const boxes = dialog.getByRole('checkbox')
    for (const box of await boxes.all()) await box.uncheck()
    await dialog.getByRole('button', { name: 'Create Key' }).click()
    await expect
      .poll(() => boxes.first().evaluate((box) => box === document.activeElement))
      .toBe(true)
    await boxes.first().check()
    await dialog.getByRole('button', { name: 'Create Key' }).click()
    await page.getByRole('textbox', { name: 'API key' }).waitFor()
    const copied = () => page.getByRole('button', { name: 'Copied', exact: true })
    await page.evaluate(() => {
      document.execCommand = () => false
    })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expectNotice(page, 'Failed to copy')
    await page.evaluate(() => {
      Reflect.deleteProperty(document, 'execCommand')
    })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await copied().waitFor()
    await page.context().close()
  },
)

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(
      `the screen of API keys is accessible and does not scroll sideways: ${theme}, ${width} px`,
      { tags: ['extended'] },
      async () => {
        const user = await makeUser(stage.server)
        const page = await openPage(stage.browser, stage.server.url, { user, theme, width })
        const look = async (name: string) => {
          await page.waitForTimeout(250)
          await expectAccessible(page)
          const wide = () =>
            document.documentElement.scrollWidth - document.documentElement.clientWidth
          expect(await page.evaluate(wide), name).toBeLessThanOrEqual(0)
          if (process.env.PICTURES) {
            const path = `${process.env.PICTURES}/${name}-${width}-${theme}.png`
            await page.screenshot({ path, fullPage: true })
          }
        }
        await page.goto('/settings?tab=api-keys')
        await page.getByRole('button', { name: 'New Key' }).click()
        await look('api-keys-form')
        const long = 'A rather long name of a key, for a program on a narrow screen '
          .repeat(2)
          .slice(0, 100)
        await page.getByRole('textbox', { name: 'Name' }).fill(long)
        await page.getByRole('button', { name: 'Create Key' }).click()
        await page.getByRole('textbox', { name: 'API key' }).waitFor()
        await look('api-keys-secret')
        const copy = await page.getByRole('button', { name: 'Copy', exact: true }).boundingBox()
        const away = page.getByRole('button', { name: 'I have saved it' })
        const other = await away.boundingBox()
        // Copy comes first: on the left, on phones above.
        expect((copy?.x ?? 0) + (copy?.y ?? 0)).toBeLessThan((other?.x ?? 0) + (other?.y ?? 0))
        await away.click()
        await page.getByText('Never used.').waitFor()
        await look('api-keys-list')
        await page.context().close()
      },
    )
  }
}
