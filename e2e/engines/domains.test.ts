/** @module-tag extended */
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { plantDomain } from '../domains/plant-domain.ts'
import { inEachEngine } from './engine-stage.ts'

inEachEngine('domains', (stage) => {
  it('a person sees the domains of the account, and chooses the host of a link on Home', async () => {
    const ann = await makeUser(stage.server, { plan: 'business' })
    const host = `go.${ann.id.slice(0, 8)}.example`
    await plantDomain(stage.server, ann, host, { isDefault: true })
    const page = await stage.open({ user: ann })
    await page.goto('/settings?tab=domains')
    await page.seeText('DNS is right')
    await page.seeText('Default for new links')
    for (const width of [1280, 360]) {
      await page.resize(width, 800)
      const overflow = await page.run(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
      const folder = process.env['PICTURES']
      if (folder !== undefined)
        await writeFile(`${folder}/domains-${stage.engine}-${width}.png`, await page.screenshot())
    }
    await page.goto('/')
    await page.until(
      (wanted) =>
        document.querySelector<HTMLSelectElement>('select[name=domain]')?.value === wanted,
      host,
    )
  })
})
