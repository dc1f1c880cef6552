import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { draftImage } from '#server/ai/drafts/image/draft-image.ts'
import { findSubjects } from '#server/ai/drafts/image/find-subjects.ts'
import { colorOf, repaint } from '#server/ai/drafts/image/repaint.ts'
import { loadIcons, loadSubjects } from '#server/ai/drafts/image/illustration-index.ts'
import { languages } from '#server/ai/drafts/language.ts'

it.each([
  ['A bunch of tulips on a sunny table', 'tulip, sun'],
  ['a happy dog', 'dog-face'],
  ['Pizza delivery', 'pizza, delivery-truck'],
  ['20% off our flower shop', 'bouquet, shopping-bags, label'],
  ['15% off auf alle Winterjacken', 'coat, label'],
  ['Blumenladen', 'bouquet'],
  ['Kaffee und Kuchen', 'hot-beverage, birthday-cake'],
  ['Tulpen', 'tulip'],
  ['un chien et un chat', 'dog-face, cat-face'],
  ['un gâteau d’anniversaire', 'birthday-cake'],
  ['flores y tulipanes', 'bouquet, tulip'],
  ['zapatos rojos', 'running-shoe'],
  ['un negozio di scarpe', 'running-shoe, shopping-bags'],
  ['bolo de aniversário', 'birthday-cake'],
  ['een fiets voor kinderen', 'bicycle, teddy-bear'],
  ['świece i mydła', 'candle, soap'],
  ['собака и кошка', 'dog-face, cat-face'],
  ['花屋の春のセール', 'bouquet, label'],
  ['猫とコーヒー', 'cat-face, hot-beverage'],
  ['请为我的咖啡店写一个弹出窗口', 'hot-beverage'],
  // Nothing that can be drawn: no wrong thing either.
  ['quality and trust', ''],
  ['something new', ''],
  ['Watch how we can pick you up', ''],
  ['abstract shapes', ''],
  ['Qualität und Vertrauen', ''],
])('%s: %s', async (prompt, subjects) => {
  expect((await findSubjects(prompt)).map(({ icon }) => icon).join(', ')).toBe(subjects)
})

it('104 prompts get the drawings and colors that were approved by eye (pictures.txt)', async () => {
  const approved = readFileSync(new URL('pictures.txt', import.meta.url), 'utf8')
  const [head = '', ...blocks] = approved.split(/^> /m)
  expect(blocks).toHaveLength(104)
  const drawn = await Promise.all(
    blocks.map(async (block) => {
      const [prompt = ''] = block.split('\n')
      const words = (await findSubjects(prompt)).map(({ icon, phrase }) =>
        [icon, colorOf(phrase, prompt)].filter(Boolean).join(' '),
      )
      return `${prompt}\n  ${words.join(', ') || 'abstract'}\n\n`
    }),
  )
  expect([head, ...drawn].join('> ').trimEnd()).toBe(approved.trimEnd())
})

it('a thing is painted in another color with its shades, and the rest of it stays', async () => {
  const car = (await loadIcons()).get('automobile') ?? ''
  const colorsOf = (body: string) => body.match(/#[0-9a-f]{6}/gi) ?? []
  const painted = await repaint(car, '#1a8038')
  expect(painted).toContain('#1a8038')
  const stayed = colorsOf(painted).filter((color) => car.includes(color))
  expect(stayed.length).toBeGreaterThan(3)
  expect(stayed.length).toBeLessThan(colorsOf(car).length)
  expect(await repaint(car, '#d62828')).toBe(car)
})

it('every word names a drawing that exists', async () => {
  const icons = await loadIcons()
  const missing: string[] = []
  const withThings = languages.filter(({ things }) => things)
  expect(withThings).toHaveLength(16)
  for (const language of withThings) {
    const { exact } = await loadSubjects(language)
    expect(exact.size).toBeGreaterThan(500)
    for (const [word, icon] of exact) if (!icons.has(icon)) missing.push(`${word}: ${icon}`)
  }
  expect(missing).toEqual([])
})

it('an image takes its colors from the popup', async () => {
  const corner = async (background: string, accent: string) => {
    const image = await draftImage('pizza', { background, accent }, () => 0)
    const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([1200, 800])
    return [...data.subarray(0, 3)]
  }
  const [red = 0, , blue = 0] = await corner('#fff1e6', '#c2410c')
  expect(red).toBeGreaterThan(blue)
  expect(Math.max(...(await corner('#0b1020', '#60a5fa')))).toBeLessThan(110)
})

it('an image shows the named thing: another thing is another picture on the same background', async () => {
  const draw = async (prompt: string) =>
    (await draftImage(prompt, { background: '#ffffff', accent: '#3b82f6' }, () => 0)).toString()
  const [pizza, again, dog] = [await draw('pizza'), await draw('pizza'), await draw('dog')]
  expect(again).toBe(pizza)
  expect(dog).not.toBe(pizza)
})
