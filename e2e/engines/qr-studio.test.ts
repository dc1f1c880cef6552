/** @module-tag extended */
import { expect, it } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { qrAddress } from '#domain/links/qr-address.ts'
import { makeLink, makeUser } from '#test/factories.ts'
import { textsIn } from '../qr/qr-file.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

/** With `PICTURES=folder` a picture of the screen, in both themes and two widths. */
async function picture(page: EnginePage, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  for (const [theme, width] of [
    ['dark', 768],
    ['light', 1_920],
    ['dark', 1_920],
    ['light', 360],
  ] as const) {
    await page.run((chosen) => {
      localStorage.setItem('theme', chosen)
      window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
    }, theme)
    await page.resize(width, 1_100)
    await page.until(() => document.getAnimations().length === 0)
    await page.until(
      () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
    )
    if (folder !== undefined)
      await writeFile(`${folder}/${name}-${width}-${theme}.png`, await page.screenshot())
  }
}

/** Keeps a saved file in the page, as a data URL. */
const keepFile = () => {
  delete document.body.dataset['saved']
  URL.createObjectURL = (file: Blob) => {
    const reader = new FileReader()
    reader.onload = () => {
      document.body.dataset['saved'] = reader.result as string
    }
    reader.readAsDataURL(file)
    return '#'
  }
}

async function savedBy(page: EnginePage, button: string): Promise<Buffer> {
  await page.run(keepFile)
  await page.press('button', button)
  await page.until(() => document.body.dataset['saved'])
  const href = await page.run(() => document.body.dataset['saved'] ?? '')
  return Buffer.from(href.split(',')[1] ?? '', 'base64')
}

inEachEngine('the studio of QR codes', (stage) => {
  it('checks a code in a look, and saves it as PNG, SVG and PDF', async () => {
    const user = await makeUser(stage.server)
    const { short_code: code } = await makeLink(stage.server, user)
    const page = await stage.open({ user })
    await page.goto(`/qr?link=${code}`)
    await page.press('button', 'Dots')
    await page.press('button', 'Circles')
    await page.press('button', 'Caption below')
    await page.fill('Caption', 'Scan for the menu')
    await page.until(() => /Scans from \d+ mm up/.test(document.body.innerText))
    await picture(page, `studio-${stage.engine}`)
    const both = [
      qrAddress(`${stage.server.url}/${code}`),
      qrAddress(`${stage.server.url}/${code}`),
    ]
    expect(await textsIn(await savedBy(page, 'Download PNG'))).toEqual(both)
    await page.press('button', 'Other files')
    const svg = await savedBy(page, 'SVG')
    expect(svg.toString()).toContain('Scan for the menu')
    expect(await textsIn(svg)).toEqual(both)
    await page.press('button', 'Other files')
    expect((await savedBy(page, 'PDF')).subarray(0, 5).toString()).toBe('%PDF-')
    await page.press('button', 'Print sheet')
    await page.seeText('1 label on 1 sheet.', 'dialog')
    await picture(page, `sheet-${stage.engine}`)
  })

  it('makes a static code of a form', async () => {
    const user = await makeUser(stage.server)
    const page = await stage.open({ user })
    await page.goto('/qr')
    await page.fill('Network name', 'Cafe')
    await page.fill('Password', 'a;b:c1234')
    await page.until(() => /Scans from \d+ mm up/.test(document.body.innerText))
    await picture(page, `static-${stage.engine}`)
    const text = String.raw`WIFI:T:WPA;S:Cafe;P:a\;b\:c1234;;`
    expect(await textsIn(await savedBy(page, 'Download PNG'))).toEqual([text, text])
  })
})
