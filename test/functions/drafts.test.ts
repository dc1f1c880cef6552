import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { readGeneratedContent, readGeneratedDesign } from '#domain/popup-generated.ts'
import { contentLimits } from '#server/ai/answers.ts'
import type { Facts } from '#server/ai/drafts/content/facts.ts'
import { fillDraft, finishedDrafts } from '#server/ai/drafts/content/write-draft.ts'
import { languages } from '#server/ai/drafts/language.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { aiConfig, askContent, askDesign, invoke } from './calls.ts'

let server: TestServer
let ann: TestUser

beforeAll(async () => {
  const limits = { perPerson: 1_000, total: 1_000 }
  server = await startTestServer(aiConfig(undefined, { limits }))
  ann = await makeUser(server)
})
afterAll(() => server.close())

const approved = readFileSync(new URL('drafts.txt', import.meta.url), 'utf8')
const prompts = [...approved.matchAll(/^> (.*)$/gm)].map(([, prompt]) => prompt ?? '')

async function contentFor(prompt: string) {
  const { status, body } = await askContent(server, ann, prompt)
  expect(status).toBe(200)
  const content = readGeneratedContent(body.content)
  if (content === null) throw new Error(`no content for ${prompt}`)
  return content
}

async function designFor(prompt: string) {
  const design = readGeneratedDesign((await askDesign(server, ann, prompt)).body.content)
  if (design === null) throw new Error(`no design for ${prompt}`)
  return design
}

it('tells the browser that no AI is connected', async () => {
  expect(await invoke(server, ann, 'ai-status', {})).toMatchObject({
    status: 200,
    body: { text: false, image: false },
  })
  expect((await invoke(server, undefined, 'ai-status', {})).status).toBe(401)
})

describe('texts', () => {
  it('60 prompts in 8 languages get the drafts that were approved by eye (drafts.txt)', async () => {
    expect(prompts).toHaveLength(60)
    const blocks = [approved.slice(0, approved.indexOf('> '))]
    for (const prompt of prompts) {
      const { title, description, cta_text, collect_email } = await contentFor(prompt)
      const mark = collect_email ? ' @' : ''
      blocks.push(`> ${prompt}\n  ${title}\n  ${description || '-'}\n  [${cta_text}]${mark}\n\n`)
    }
    expect(blocks.join('').trimEnd()).toBe(approved.trimEnd())
  })

  const longest: Required<Facts> = {
    saving: 'up to $1,000.00',
    code: 'ABCDEFGHIJKLMNOP',
    until: 'the end of the month',
    on: 'on Wednesday at 10:30 p.m.',
    price: '$1,000.00 per session',
    minimum: '$1,000.00',
    name: 'N'.repeat(40),
    period: '100 months',
    season: 'back-to-school',
    platform: 'Kickstarter',
  }

  it('every finished draft keeps the limits and is complete with any facts', () => {
    expect(finishedDrafts.length).toBeGreaterThanOrEqual(30)
    const names = Object.keys(longest) as (keyof Facts)[]
    const choices: Facts[] = Array.from({ length: 2 ** names.length }, (_, bits) =>
      Object.fromEntries(
        names.filter((_name, at) => bits & (1 << at)).map((name) => [name, longest[name]]),
      ),
    )
    const faults: string[] = []
    for (const draft of finishedDrafts) {
      // A season's sale is only written where a season is named.
      const needsSeason = draft.title.every((line) => line.includes('{season}'))
      for (const facts of choices.filter(({ season }) => !needsSeason || season !== undefined)) {
        const { title, description, ctaText } = fillDraft(draft, facts)
        const isTooLong =
          title.length > contentLimits.title ||
          description.length > contentLimits.description ||
          ctaText.length > contentLimits.ctaText
        const text = `${title} | ${description} | ${ctaText}`
        if (isTooLong || /[{}]|undefined| {2}/.test(text)) faults.push(text)
      }
    }
    expect(faults).toEqual([])
  })

  it('every button label in the 15 and more languages fits', () => {
    const labels = languages.map(({ learnMore }) => learnMore)
    expect(labels.length).toBeGreaterThanOrEqual(15)
    for (const label of labels) expect(label.length).toBeLessThanOrEqual(contentLimits.ctaText)
  })

  it.each([
    ['a long prompt without a pause', 'word '.repeat(200)],
    ['one endless word', 'x'.repeat(1000)],
    ['characters of several units', '👩‍👩‍👧‍👦'.repeat(80)],
    ['Japanese without spaces', '手作りのパンとお菓子を毎朝焼いています'.repeat(20)],
    ['many sentences', 'We bake. You eat. Everyone is happy about it. '.repeat(20)],
  ])('%s becomes a headline that breaks nothing', async (_what, prompt) => {
    const { title, description } = await contentFor(prompt)
    expect(prompt.toLowerCase().startsWith(title.replace(/…$/, '').toLowerCase())).toBe(true)
    expect(`${title}${description}`.isWellFormed()).toBe(true)
    expect(title).not.toMatch(/‍…?$/u)
  })
})

describe('designs', () => {
  it.each([
    ['yellow background with black text', { background_color: '#ffd60a', text_color: '#000000' }],
    ['background #112233, button orange', { background_color: '#112233', button_color: '#f77f00' }],
    ['white on #663399', { background_color: '#663399', text_color: '#ffffff' }],
    ['navy button with white text', { button_color: '#000080', button_text_color: '#ffffff' }],
    [
      'Button: crimson. Background: ivory',
      { button_color: '#dc143c', background_color: '#fffff0' },
    ],
    ['text in dark green on cream', { text_color: '#006400', background_color: '#fff6e0' }],
    ['black and gold', { background_color: '#000000', button_color: '#d4a017' }],
    ['light sea green buttons, sky blue background', { button_color: '#20b2aa' }],
    ['no shadow', { shadow_style: 'none' }],
    ['a big shadow', { shadow_style: 'bold', size_preset: 'medium' }],
    [
      'serif, square corners, small',
      { font_style: 'elegant', border_radius: 0, size_preset: 'small' },
    ],
    [
      'sans-serif and rounded, large',
      { font_style: 'modern', border_radius: 16, size_preset: 'large' },
    ],
    ['corners of 10 px', { border_radius: 10 }],
    ['dark and luxurious', { font_style: 'elegant' }],
  ])('%s', async (prompt, expected) => {
    const { look, mended } = await designFor(prompt)
    expect(look).toMatchObject(expected)
    expect(mended).toEqual([])
  })

  it('mends contrast only where it fails, and says so', async () => {
    const { look, mended } = await designFor('white background with pale yellow text')
    expect(look.background_color).toBe('#ffffff')
    expect(mended).toEqual(['textColor'])
    expect(contrast(look.text_color, '#ffffff')).toBeGreaterThanOrEqual(4.5)
    const button = await designFor('white button with white text')
    expect(button.mended).toEqual(['buttonTextColor'])
  })

  it('moods and chance choose colors that can be read', async () => {
    const looks = [
      'neon yellow party',
      'lime',
      'wine',
      'dark',
      'calm',
      'x',
      'Halloween',
      ...prompts,
    ]
    for (const prompt of looks) {
      const { look } = await designFor(prompt)
      expect(contrast(look.text_color, look.background_color)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(look.button_text_color, look.button_color)).toBeGreaterThanOrEqual(4.5)
    }
  })
})
