import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { readGeneratedContent, readGeneratedDesign } from '#domain/popups/popup-generated.ts'
import { contentLimits, type PopupDesign } from '#server/ai/answers.ts'
import { ensureContrast } from '#server/ai/contrast.ts'
import { draftDesign } from '#server/ai/drafts/design/draft-design.ts'
import { factNames, type Facts } from '#server/ai/drafts/content/facts.ts'
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

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const approved = read('drafts.txt')
const approvedLooks = read('looks.txt')
const looksFile = read('../../server/ai/drafts/design/looks.txt')
const colorsFile = read('../../server/ai/drafts/design/colors.txt')
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

it('the server tells the browser that no AI is connected', async () => {
  expect(await invoke(server, ann, 'ai-status', {})).toMatchObject({
    status: 200,
    body: { text: false, image: false },
  })
  expect((await invoke(server, undefined, 'ai-status', {})).status).toBe(401)
})

describe('texts', () => {
  it('142 prompts in 11 languages get the drafts that were approved by eye (drafts.txt)', async () => {
    expect(prompts).toHaveLength(142)
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
    amount: '1,000.00 dollars',
    name: 'N'.repeat(40),
    shop: 'coffee and tea roastery',
    occasion: 'Valentine’s Day',
  }

  it('every finished draft of 8 languages keeps the limits and is complete with any facts', () => {
    expect([...finishedDrafts.keys()].toSorted()).toEqual('de en es fr it nl pl pt'.split(' '))
    const choices: Facts[] = Array.from({ length: 2 ** factNames.length }, (_, bits) =>
      Object.fromEntries(
        factNames.filter((_name, at) => bits & (1 << at)).map((name) => [name, longest[name]]),
      ),
    )
    const faults: string[] = []
    for (const drafts of finishedDrafts.values()) {
      expect(drafts.length).toBeGreaterThanOrEqual(14)
      for (const draft of drafts) {
        for (const facts of choices) {
          const { title, description, ctaText } = fillDraft(draft, facts)
          const isTooLong =
            title.length > contentLimits.title ||
            description.length > contentLimits.description ||
            ctaText.length > contentLimits.ctaText
          const text = `${title} | ${description} | ${ctaText}`
          if (isTooLong || /[{}]|undefined| {2}/.test(text)) faults.push(text)
        }
      }
    }
    expect(faults).toEqual([])
  })

  it.each([
    [
      'numbers, days, codes and places',
      'Crêpes at the Old Mill in Bath on Friday, 20% with CREPE20',
    ],
    ['hours', 'Unsere Öffnungszeiten: Mo–Fr 9–18 Uhr, Sa 9–13 Uhr, sonntags geschlossen'],
    ['prices', 'Atelier poterie le samedi 14 mars à 15 h à Nantes, 35 € par personne, code ARGILE'],
  ])('%s are kept, and no sentence is cut: %s', async (_what, prompt) => {
    const { title, description } = await contentFor(prompt)
    const told = `${title} ${description}`
    const stated = prompt.match(/\d+|\p{Lu}{5,}\d*|Friday|Bath|samedi|mars|Nantes|sonntags/gu) ?? []
    expect(stated.length).toBeGreaterThanOrEqual(4)
    for (const fact of stated) expect(told).toContain(fact)
    expect(told).not.toContain('…')
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
  ])('%s becomes a text that breaks nothing', async (_what, prompt) => {
    const { title, description } = await contentFor(prompt)
    const own = description.replace(/…$/, '')
    expect(own).not.toBe('')
    expect(prompt.toLowerCase()).toContain(own.toLowerCase())
    expect(`${title}${description}`.isWellFormed()).toBe(true)
    expect(own).not.toMatch(/‍$/u)
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
    ['a big shadow', { shadow_style: 'bold' }],
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
    expect(contrast(look.text_color ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    const button = await designFor('white button with white text')
    expect(button.mended).toEqual(['buttonTextColor'])
  })

  it('108 prompts in 8 languages get the looks that were approved by eye (looks.txt)', () => {
    const [head = '', ...blocks] = approvedLooks.split(/^> /m)
    expect(blocks).toHaveLength(108)
    const told = blocks.map((block) => {
      const [prompt = ''] = block.split('\n')
      return `${prompt}\n  ${lookWords(prompt)}\n\n`
    })
    expect([head, ...told].join('> ').trimEnd()).toBe(approvedLooks.trimEnd())
  })

  it.each(['something that sings', 'etwas Besonderes', 'comme sur notre site', 'kein Rot'])(
    '%s: nothing is understood, and the look stays as it is',
    async (prompt) => {
      expect((await designFor(prompt)).look).toEqual({})
    },
  )

  it('every named color and every mood can be read on its background', async () => {
    const words = [
      ...looksFile.matchAll(/^words: ([^,\n(/*]+)/gm),
      ...colorsFile.matchAll(/^words: ([^,\n]+)/gm),
    ]
    expect(words.length).toBeGreaterThan(250)
    for (const [, word = ''] of words) {
      const { design } = ensureContrast(draftDesign(word))
      const { backgroundColor, textColor, buttonColor, buttonTextColor } = design
      expect(contrast(textColor, backgroundColor), word).toBeGreaterThanOrEqual(4.5)
      expect(contrast(buttonTextColor, buttonColor), word).toBeGreaterThanOrEqual(4.5)
      expect(buttonColor, word).not.toBe(backgroundColor)
    }
  })
})

/** The understood fields of a look, in the words of looks.txt. */
function lookWords(prompt: string): string {
  const { understood = [], ...design } = draftDesign(prompt)
  const shown = understood.filter((field) => field !== 'accentColor')
  const words = shown.map((field) => `${lookNames[field]} ${design[field]}`)
  return words.length === 0 ? 'not understood' : words.join(', ')
}

const lookNames: Record<Exclude<keyof PopupDesign, 'accentColor'>, string> = {
  backgroundColor: 'background',
  textColor: 'text',
  buttonColor: 'button',
  buttonTextColor: 'button text',
  borderRadius: 'corners',
  fontStyle: 'font',
  shadowStyle: 'shadow',
  size: 'size',
}
