import type { Browser } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { expectAccessible, expectNotice, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser

setStage((stage) => ({ server, browser } = stage))

it(
  'Ann corrects the code of a printed link, both codes work, and she releases the old one',
  { tags: ['extended'] },
  async () => {
    const ann = await makeUser(server, { plan: 'business' })
    await makeLink(server, ann, {
      short_code: 'sumer-sale',
      original_url: 'https://example.com/sale',
    })
    await makeLink(server, ann, { short_code: 'winter-sale' })
    const page = await openPage(browser, server.url, { user: ann, width: 360 })
    await page.goto('/links/sumer-sale')
    const dialog = page.getByRole('dialog', { name: 'Change code' })
    const openDialog = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('button', { name: 'Change code' }).click()
    }
    const leadsTo = (code: string, location: string) =>
      vi.waitFor(
        async () => expect((await visit(server.url, `/${code}`)).location).toBe(location),
        {
          timeout: 240_000,
        },
      )
    await openDialog()
    await dialog.getByLabel('Short link').fill('winter-sale')
    await dialog.getByRole('button', { name: 'Change code' }).click()
    await expectNotice(page, 'Code Already Taken')
    await dialog.getByLabel('Short link').fill('Summer-Sale')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Change code' }).click()
    await expectNotice(page, 'Code changed')
    await page.waitForURL('**/links/summer-sale')
    for (const code of ['summer-sale', 'sumer-sale'])
      await leadsTo(code, 'https://example.com/sale')

    await openDialog()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Release sumer-sale' }).click()
    await expectNotice(page, 'Code released')
    await leadsTo('sumer-sale', '/404')
    await leadsTo('summer-sale', 'https://example.com/sale')
    await openDialog()
    await expect.poll(() => dialog.getByText('Former codes').count()).toBe(0)
    await page.context().close()
  },
)
