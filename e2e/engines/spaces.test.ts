/** @module-tag extended */
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { stageSpace } from '../spaces/space-stage.ts'
import type { EnginePage } from './engine-page.ts'
import { inEachEngine } from './engine-stage.ts'

/** With `PICTURES=folder` there is a picture of the screen. */
async function picture(page: EnginePage, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder !== undefined) await writeFile(`${folder}/${name}.png`, await page.screenshot())
}

const widthsOverflow = (page: EnginePage) =>
  page.run(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

inEachEngine('spaces', (stage) => {
  it('an owner invites a person by a link, and sees the people of the space', async () => {
    const space = await stageSpace(stage.server)
    await space.join('viewer')
    const page = await stage.open({ user: space.owner })
    await page.goto(`/s/${space.slug}/settings?tab=people`)
    await page.seeText('2 of 25 seats')
    await page.press('button', 'Invite', 'main')
    await page.press('button', 'Create Link', 'dialog')
    await page.press('button', 'I have saved it', 'dialog')
    await page.seeText('2 of 25 seats, one invitation open')
    for (const width of [1280, 360]) {
      await page.resize(width, 800)
      expect(await widthsOverflow(page)).toBeLessThanOrEqual(0)
      await picture(page, `space-people-${stage.engine}-${width}`)
    }
  })

  it('a person joins by an invitation and works in the space', async () => {
    const space = await stageSpace(stage.server)
    const { pathname, hash } = new URL(await space.invite('editor'))
    const page = await stage.open({ user: await makeUser(stage.server) })
    await page.goto(pathname + hash)
    await page.seeText('You join as')
    for (const width of [360, 1280]) {
      await page.resize(width, 800)
      expect(await widthsOverflow(page)).toBeLessThanOrEqual(0)
      await picture(page, `space-invitation-${stage.engine}-${width}`)
    }
    await page.press('button', 'Join Harbour Books', 'main')
    await page.until((path) => location.pathname === path, `/s/${space.slug}/dashboard`)
    await page.press('link', 'Analytics', 'aside')
    await page.until((path) => location.pathname === path, `/s/${space.slug}/analytics`)
  })
})
