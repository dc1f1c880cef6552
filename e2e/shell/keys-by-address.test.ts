/** @module-tag extended */
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { expectAccessible, openPage, widthsOf } from '../browser.ts'
import { sendPassword } from '../account-stage.ts'
import { setStage } from '../stage.ts'

// The stage's server is reached by its IP address, where browsers have no security keys.
let stage: Parameters<Parameters<typeof setStage>[0]>[0]
setStage((ready) => {
  stage = ready
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of widthsOf(theme)) {
    it(`the web app offers no security key at an IP address, and says why: ${theme}, ${width} px`, async () => {
      const user = await makeUser(stage.server)
      const page = await openPage(stage.browser, stage.server.url, { user, theme, width })
      await page.goto('/settings?tab=security')
      await page.getByText('this one is reached by its IP address').waitFor()
      await expect
        .poll(() => page.getByRole('button', { name: 'Add Authenticator App' }).count())
        .toBe(1)
      await expect
        .poll(() => page.getByRole('button', { name: 'Add Security Key' }).count())
        .toBe(0)
      await page.waitForTimeout(250)
      await expectAccessible(page)
      if (process.env.PICTURES)
        await page.screenshot({
          path: `${process.env.PICTURES}/keys-by-address-${width}-${theme}.png`,
          fullPage: true,
        })
      await page.context().close()
    })
  }
}

it('the web app says at the sign-in that a key set up under another address cannot be used here', async () => {
  const user = await makeUser(stage.server)
  await stage.server.sql(
    `insert into auth.factors (user_id, factor_type, status, friendly_name) values ($1, 'webauthn', 'verified', 'Blue key')`,
    [user.id],
  )
  const page = await openPage(stage.browser, stage.server.url)
  await page.goto('/auth')
  await sendPassword(page, user)
  await page.getByText('This browser cannot use Blue key here.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Use Security Key' }).count()).toBe(0)
  await page.context().close()
})
