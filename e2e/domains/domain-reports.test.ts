import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { visit } from '#test/visits/visit.ts'
import { environment, expectFigure, expectStored, hit } from '../analytics-stage.ts'
import { openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { look } from '../look.ts'
import { setStage } from '../stage.ts'
import { plantDomain } from './plant-domain.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage), { environment })

it('Ann sees which of her hosts is clicked, and narrows her report to one', async () => {
  const ann = await makeUser(server, { plan: 'pro' })
  const host = 'bücher.example'
  const ascii = 'xn--bcher-kva.example'
  await plantDomain(server, ann, host)
  const own = await makeLink(server, ann)
  const onDomain = await makeLink(server, ann, { domain: ascii })
  await hit(server, own.short_code, { visitor: 1 })
  await expect
    .poll(
      async () =>
        (await visit(server.url, `/${onDomain.short_code}`, { headers: { host: ascii } })).location,
    )
    .toMatch(/^http/)
  await expectStored(server, ann, 2)
  const page = await openPage(browser, server.url, { user: ann })
  await page.goto('/analytics')
  await expectFigure(page, 'Clicks', 2)
  const card = page.getByRole('region', { name: 'Links and pages' })
  await card.getByRole('tab', { name: 'Domains' }).click()
  await card.getByRole('button', { name: /^This server/ }).waitFor()
  await card.getByRole('button', { name: /^bücher\.example/ }).click()
  await expectFigure(page, 'Clicks', 1)
  await page.getByRole('button', { name: /Domain bücher\.example/ }).waitFor()
  // Its hits have no stream.
  expect(await page.getByRole('switch', { name: /^Live/ }).count()).toBe(0)
  await look(page, 'domain-report')
  await page.reload()
  await expectFigure(page, 'Clicks', 1)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expectFigure(page, 'Clicks', 2)
  await page.context().close()

  const bob = await makeUser(server, { plan: 'pro' })
  await makeLink(server, bob)
  const others = await openPage(browser, server.url, { user: bob })
  await others.goto('/analytics')
  await others.getByRole('region', { name: 'Links and pages' }).waitFor()
  expect(await others.getByRole('tab', { name: 'Domains' }).count()).toBe(0)
  await others.context().close()
})
