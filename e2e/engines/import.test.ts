/** @module-tag extended */
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

async function picture(page: EnginePage, name: string): Promise<void> {
  for (const width of [360, 768, 1_920]) {
    await page.resize(width, 1_000)
    await page.until(
      () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
    )
    const folder = process.env['PICTURES']
    if (folder !== undefined)
      await writeFile(`${folder}/${name}-${width}.png`, await page.screenshot())
  }
}

inEachEngine('an import', (stage) => {
  it('reads a file, shows its rows, and makes the links', async () => {
    const user = await makeUser(stage.server, { plan: 'business' })
    const page = await stage.open({ user })
    await page.goto('/dashboard/import')
    await page.until(() => document.querySelector('input[type=file]') !== null)
    await picture(page, `import-start-${stage.engine}`)
    const code = `eng-${user.id.slice(0, 8)}`
    // 300 kB, so that the browser packs it first.
    const rows = Array.from({ length: 3_000 }, (_, i) =>
      i === 0 ? `https://a.example/first,${code}` : `ftp://a.example/${'x'.repeat(80)}${i},`,
    )
    await page.run(
      (text) => {
        const input = document.querySelector<HTMLInputElement>('input[type=file]')
        const files = new DataTransfer()
        files.items.add(new File([text], 'links.csv', { type: 'text/csv' }))
        if (input) input.files = files.files
        input?.dispatchEvent(new Event('change', { bubbles: true }))
      },
      `original_url,short_code\n${rows.join('\n')}\n`,
    )
    await page.until(() => document.querySelector('h1')?.textContent === 'Check before importing')
    await page.until(() => document.querySelectorAll('tbody tr').length > 50)
    await picture(page, `import-check-${stage.engine}`)
    await page.press('button', 'Import 1 link')
    await page.until(() => document.querySelector('h1')?.textContent === 'Import done')
    const visit = await fetch(`${stage.server.url}/${code}`, { redirect: 'manual' })
    expect(visit.headers.get('location')).toBe('https://a.example/first')
  })
})
