import { beforeAll, describe, expect, it } from 'vitest'
import { labelFit, type LabelFormat, labelFormat, labelFormats } from '#domain/qr/labels.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { decoded, hasPoppler, isRed, rasterized } from './poppler.ts'

let server: TestServer
let user: TestUser
let code: string
let marks: string[]
const pointsPerMm = 72 / 25.4
const nameOf = (index: number) => `Table ${index + 1}`

beforeAll(async () => {
  server = await sharedServer()
  user = await makeUser(server, { plan: 'business' })
  const link = await makeLink(server, user, { title: 'Menu' })
  code = link.short_code
  const made = await fetch(`${server.url}/rest/v1/rpc/create_placements`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      _link: link.id,
      _names: Array.from({ length: 70 }, (_, index) => nameOf(index)),
    }),
  })
  marks = ((await made.json()) as { mark: string }[]).map(({ mark }) => mark)
})

const sheet = (query: Record<string, string | number>, who = user) =>
  fetch(
    `${server.url}/functions/v1/qr-sheet?${new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    )}`,
    { headers: who.headers },
  )
async function file(query: Record<string, string | number>): Promise<Buffer> {
  const response = await sheet(query)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) throw new Error(bytes.toString())
  return bytes
}
const address = (mark?: string) => qrAddress(`${server.url}/${code}`, mark)
const usedToday = async (who = user) =>
  (
    await server.sql<{ daily_qr_codes: number }>(
      'select daily_qr_codes from app.user_usage where user_id = $1',
      [who.id],
    )
  )[0]?.daily_qr_codes

function boxOf({ left, top, pitch, label, columns }: LabelFormat, index: number) {
  return {
    left: (left + (index % columns) * pitch.x) * pointsPerMm,
    top: (top + Math.floor(index / columns) * pitch.y) * pointsPerMm,
    width: label.width * pointsPerMm,
    height: label.height * pointsPerMm,
  }
}

/** Reads a page as a person with a camera: the code and the caption of each label. */
async function readLabels(
  pdf: Buffer,
  format: LabelFormat,
  count: number,
): Promise<{ texts: (string | undefined)[]; caption: string }[]> {
  const pages = await rasterized(pdf)
  const perPage = format.columns * format.rows
  const labels = []
  for (let index = 0; index < count; index++) {
    const page = pages[Math.floor(index / perPage)]
    if (!page) throw new Error('a page is missing')
    const box = boxOf(format, index % perPage)
    const words = page.words.filter(
      ({ left, top, right, bottom }) =>
        left >= box.left &&
        right <= box.left + box.width &&
        top >= box.top &&
        bottom <= box.top + box.height,
    )
    const caption = words.map(({ text }) => text).join(' ')
    labels.push({ texts: await decoded(page.picture, box), caption })
  }
  return labels
}

/** Formats that hold a code of the test's address, which is longer than most. */
const holding = labelFormats.filter((format) => format.name !== '5167')

describe.runIf(hasPoppler)('a sheet', () => {
  const sample = ['L7651', '5160', '30x20']
  for (const format of holding) {
    const tags = sample.includes(format.name) ? [] : ['extended' as const]
    const perPage = format.columns * format.rows
    const count = format.paper === 'label' ? 3 : perPage
    it(
      `of ${format.name} has a code that both decoders read and a caption on each label`,
      { tags, timeout: 120_000 },
      async () => {
        const placements = marks.slice(0, count).join(',')
        const pdf = await file({ code, placements, label: format.name, caption: 'placement' })
        expect(pdf.toString('latin1')).not.toMatch(/\/Subtype\s*\/Image/)
        expect(await readLabels(pdf, format, count)).toEqual(
          marks.slice(0, count).map((mark, index) => ({
            texts: [address(mark), address(mark)],
            caption: nameOf(index),
          })),
        )
        const pages = await rasterized(pdf)
        expect(pages).toHaveLength(format.paper === 'label' ? count : 1)
        // No ink within the edge that feeders miss.
        const words = pages.flatMap((page) => page.words)
        expect(words).toHaveLength(2 * count)
      },
    )
  }

  it('begins at the label that is wanted, goes on with a whole sheet, and moves by an offset', async () => {
    const format = labelFormat('5163')
    if (!format) throw new Error('no format')
    const query = { code, label: '5163', copies: 5, caption: 'text', text: 'Scan me' }
    const pdf = await file({ ...query, start: 8 })
    const pages = await rasterized(pdf)
    const shown = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const page = pages[Math.floor(index / 10)]
        return page && (await decoded(page.picture, boxOf(format, index % 10)))[0]
      }),
    )
    const all = Array.from({ length: 20 }, (_, index) => index)
    expect(all.filter((index) => shown[index] === address())).toEqual([7, 8, 9, 10, 11])
    const left = async (dx: number, dy: number) => {
      const [page] = await rasterized(await file({ ...query, copies: 1, dx, dy }))
      return page?.words[0]
    }
    const [still, moved] = [await left(0, 0), await left(2.5, -5)]
    expect((moved?.left ?? 0) - (still?.left ?? 0)).toBeCloseTo(2.5 * pointsPerMm, 1)
    expect((moved?.top ?? 0) - (still?.top ?? 0)).toBeCloseTo(-5 * pointsPerMm, 1)
  })

  it('cuts a long caption, and keeps the code', async () => {
    const format = labelFormat('L7651')
    if (!format) throw new Error('no format')
    const text = 'A very long caption '.repeat(15).trim()
    const [label] = await readLabels(
      await file({ code, label: 'L7651', caption: 'text', text }),
      format,
      1,
    )
    expect(label?.texts).toEqual([address(), address()])
    expect(label?.caption).toMatch(/^A very long .*…$/)
  })

  it('in a look has its colors and shapes, without its frame', async () => {
    const made = await fetch(`${server.url}/rest/v1/qr_looks`, {
      method: 'POST',
      headers: {
        ...user.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify({
        name: 'Framed',
        look: { cells: 'dots', corners: 'circles', quiet: 5, frame: 'tab', caption: 'Scan' },
      }),
    })
    const [look] = (await made.json()) as { id: string }[]
    const [page] = await rasterized(await file({ code, label: '60x40', look: look?.id ?? '' }))
    expect(page?.words).toEqual([])
    expect(await decoded(page?.picture ?? Buffer.alloc(0))).toEqual([address(), address()])
  })

  it('has the look of its request, which need not be saved', async () => {
    const post = async (look: object) => {
      const response = await fetch(`${server.url}/functions/v1/qr-sheet`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ codes: code, label: '60x40', copies: 2, caption: 'code', look }),
      })
      expect(response.status).toBe(200)
      const pages = await rasterized(Buffer.from(await response.arrayBuffer()))
      expect(pages).toHaveLength(2)
      const picture = pages[0]?.picture ?? Buffer.alloc(0)
      expect(await decoded(picture)).toEqual([address(), address()])
      return isRed(picture)
    }
    expect(await post({ color: '#c00000', cornerColor: '#c00000' })).toBe(true)
    // The control.
    expect(await post({})).toBe(false)
  })

  it('of a test has outlines, a ruler and words, and counts nothing', async () => {
    const before = await usedToday()
    const pdf = await file({ label: 'L7160', outlines: 1 })
    const [page] = await rasterized(pdf)
    const text = page?.words.map((word) => word.text).join(' ')
    expect(text).toBe('print at 100 % L7160: this line is 50 mm long')
    expect(await usedToday()).toBe(before)
  })
})

describe('labels', () => {
  it('count each code once in a day, and none beyond the limit of the plan', async () => {
    const pro = await makeUser(server, { plan: 'pro' })
    const links = [await makeLink(server, pro), await makeLink(server, pro)]
    const codes = links.map((link) => link.short_code).join(',')
    const query = { codes, label: 'L7160', copies: 3 }
    expect((await sheet(query, pro)).status).toBe(200)
    expect(await usedToday(pro)).toBe(2)
    expect((await sheet(query, pro)).status).toBe(200)
    expect(await usedToday(pro)).toBe(2)
    await server.sql('update app.user_usage set daily_qr_codes = 49 where user_id = $1', [pro.id])
    const third = await makeLink(server, pro)
    const fourth = await makeLink(server, pro)
    const both = await sheet({ ...query, codes: `${third.short_code},${fourth.short_code}` }, pro)
    expect(both.status).toBe(429)
    expect(await both.json()).toEqual({
      error:
        "QR Code Limit Reached: You've reached your daily limit of 50 QR codes. Please try again tomorrow.",
    })
    expect(await usedToday(pro)).toBe(49)
    // The control: one is left, and those of before are counted.
    expect((await sheet({ ...query, codes: `${codes},${third.short_code}` }, pro)).status).toBe(200)
    expect(await usedToday(pro)).toBe(50)
  })

  it('refuse with a sentence', async () => {
    const other = await makeUser(server)
    const foreign = await makeLink(server, other)
    const own = { code, label: 'L7160' }
    const refused: [Record<string, string | number>, number, RegExp][] = [
      [
        { code, label: '5167' },
        422,
        /^5167 cannot hold this code at 300 dpi: its cells would be 0\.\d\d mm, 0\.34 mm is the least$/,
      ],
      [{ ...own, copies: 1_001 }, 400, /^copies must be a whole number from 1 to 1,000$/],
      [
        { ...own, copies: 500, placements: marks.slice(0, 3).join(',') },
        400,
        /^A file has at most 1,000 labels; these are 1,500$/,
      ],
      [
        { ...own, caption: 'text', text: 'مرحبا' },
        422,
        /^The caption “مرحبا” has letters .* caption=none\.$/,
      ],
      [{ ...own, caption: 'text', text: 'Menu 🍕' }, 422, /^The caption “Menu 🍕” has letters/],
      [
        { ...own, caption: 'text', text: 'x'.repeat(301) },
        400,
        /^text has at most 300 characters$/,
      ],
      [{ ...own, code: foreign.short_code }, 404, /^You have no link with the code/],
      [
        { codes: `${code},${foreign.short_code}`, label: 'L7160' },
        404,
        /^You have no link with the code/,
      ],
      [{ ...own, placements: 'zzzzzzzz' }, 404, /has no placement zzzzzzzz$/],
      [{ ...own, label: 'L9999' }, 400, /^label is one of L7160, J8160/],
      [{ ...own, start: 22 }, 400, /^start is no label of this sheet$/],
      [{ ...own, dx: 5.1 }, 400, /^dx must be from -5 to 5 mm$/],
      [
        { ...own, look: '00000000-0000-4000-8000-000000000000' },
        404,
        /^You have no look with this id$/,
      ],
      [{ label: 'L7160' }, 400, /^Please give codes, a code, or page=1$/],
      [{ page: 1, label: 'L7160' }, 404, /^You have no bio page$/],
    ]
    const before = await usedToday()
    for (const [query, status, sentence] of refused) {
      const response = await sheet(query)
      const { error } = (await response.json()) as { error: string }
      expect({ query, status: response.status, error }).toEqual({
        query,
        status,
        error: expect.stringMatching(sentence) as string,
      })
    }
    expect(await usedToday()).toBe(before)
    // The control.
    const full = { ...own, copies: 1_000, caption: 'text', text: 'Größe, Đà Nẵng, Привет' }
    expect((await sheet(full)).status).toBe(200)
  })

  it('of every format but the smallest hold a code of 41 cells with a caption, in whole dots', () => {
    for (const format of labelFormats) {
      const fit = labelFit(format, 41, true)
      if ('tooDense' in fit) {
        expect(format.name).toBe('5167')
        continue
      }
      expect(fit.dots).toBeGreaterThanOrEqual(4)
      const { code: square, caption } = fit
      expect(square.y + square.size).toBeLessThanOrEqual(format.label.height - 1)
      expect(caption && caption.x + caption.width).toBeLessThanOrEqual(format.label.width - 0.99)
    }
  })
})
