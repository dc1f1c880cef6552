import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const versions = 'Chrome 120, Firefox 128 or Safari 17.4, or newer'

/** Scripts that run before those of the page, and take a call away. */
const lacks = {
  'before Chrome 120': `delete URL.canParse`,
  'before Safari 17.4': `delete Promise.withResolvers`,
  'before Firefox 128': `delete window.CSSPropertyRule`,
}

it.for(Object.entries(lacks))(
  'a browser %s says which browsers the app needs',
  { tags: ['extended'] },
  async ([, script]) => {
    const page = await openPage(browser, server.url)
    await page.addInitScript(script)
    for (const path of ['/', '/auth', '/dashboard']) {
      await page.goto(path)
      await page.getByText(versions).waitFor()
    }
    await page.context().close()
    forgive(/is not a function/)
  },
)

it('a browser that cannot read the scripts says which browsers the app needs, others do not', async () => {
  const page = await openPage(browser, server.url)
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor()
  expect(await page.getByText(versions).isVisible()).toBe(false)

  // A part of the page that is still on its way would be empty as well.
  await page.goto('/robots.txt')
  // Scripts are empty for a browser that cannot read them.
  await page.route('**/*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  )
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByText(versions).waitFor()
  await page.context().close()
})

it('the documents name the same browsers', async () => {
  for (const path of ['README.md', 'docs/self-hosting.md', 'web/index.html'])
    expect(await readFile(path, 'utf8'), path).toContain(versions)
})
