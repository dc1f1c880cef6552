/** @module-tag extended */
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { expectAccessible, forgive, openPage } from '../browser.ts'
import type { BuiltServer } from '../built-server.ts'
import { setStage } from '../stage.ts'

let server: BuiltServer
let browser: Browser
setStage((stage) => ({ server, browser } = stage))

const leads = (popup: string) =>
  server.sql('select email, consent_text, source from app.leads where popup_id = $1', [popup])

async function openPopup(columns: Record<string, unknown>, options: { hasScript?: boolean } = {}) {
  const link = await plantPopupLink(
    server.sql,
    { collect_email: true, consent_text: 'Write to me', ...columns },
    'https://destination.example/',
  )
  const page = await openPage(browser, server.url, options)
  await page
    .context()
    .route(/^https:\/\//, (route) => route.fulfill({ contentType: 'text/html', body: 'There' }))
  await page.goto(`/${link.code}?utm_source=letter`)
  return { page, link }
}

describe('a popup that keeps addresses', () => {
  it('stores an address, says thank you, and leads on', { tags: ['gate'] }, async () => {
    const { page, link } = await openPopup({})
    const popup = page.getByRole('dialog')
    await popup.getByText('Write to me').waitFor()
    await expectAccessible(page)
    await popup.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you. Your email address was saved.').waitFor()
    expect(await leads(link.popupId)).toEqual([
      { email: 'me@example.com', consent_text: 'Write to me', source: 'letter' },
    ])
    await page.waitForURL('https://destination.example/')
    await page.context().close()
  })

  it('keeps the popup open with the typed address when it cannot be stored', async () => {
    const { page, link } = await openPopup({})
    await page.route('**/audience/join/*', (route) => route.fulfill({ status: 503, body: 'no' }))
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Your address was not saved. Please try again.').waitFor()
    await expectAccessible(page)
    expect(await page.getByLabel('Email address').inputValue()).toBe('me@example.com')
    await page.unroute('**/audience/join/*')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you.').waitFor()
    expect(await leads(link.popupId)).toHaveLength(1)
    forgive(/status of 503/)
    await page.context().close()
  })

  it('names the mistake in an address that the browser takes', async () => {
    const { page, link } = await openPopup({})
    await page.getByLabel('Email address').fill('me@example')
    await page.keyboard.press('Enter')
    await page.getByText('This is not an email address. Please check it.').waitFor()
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you.').waitFor()
    expect(await leads(link.popupId)).toMatchObject([{ email: 'me@example.com' }])
    forgive(/status of 422/)
    await page.context().close()
  })

  it('sends the address to the button URL in a new tab, and to Hoplet', async () => {
    const { page, link } = await openPopup({ cta_url: 'https://crm.example/in' })
    await page.getByLabel('Email address').fill('me@example.com')
    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Enter')
    expect((await opened).url()).toMatch(/^(about:blank|https:\/\/crm\.example\/in)$/)
    await expect.poll(() => leads(link.popupId)).toHaveLength(1)
    await page.context().close()
  })

  it('works without script, and the answer leads back', async () => {
    const { page, link } = await openPopup({}, { hasScript: false })
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    expect(await leads(link.popupId)).toHaveLength(1)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Continue to destination.example' }).waitFor()
    await page.context().close()
  })

  it('stores an address on a bio page', async () => {
    const bio = await plantBio(server.sql, { popup: { collect_email: true } })
    const page = await openPage(browser, server.url)
    await page.goto(`/${bio.slug}`)
    await page.getByLabel('Email address').fill('me@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you. Your email address was saved.').waitFor()
    const [kept] = await server.sql('select code from app.leads where user_id = $1', [bio.owner])
    expect(kept).toEqual({ code: bio.slug })
    await page.context().close()
  })
})
