import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rowLength } from './bio/bio-page.tsx'
import { GonePage } from './link/gone.tsx'
import { NotFoundPage } from './not-found.tsx'
import { renderPublicPage } from './render.tsx'

const about = { title: 'A "title" <b>', description: 'Words', publicUrl: 'https://hop.example' }

describe('renderPublicPage', () => {
  test('makes a whole document without script', () => {
    const { html } = renderPublicPage(<NotFoundPage />, about)
    expect(html).toMatch(/^<!doctype html><html lang="en" class="hp-visitor">/)
    expect(html).toContain('Oops! Page not found')
    expect(html).toContain('href="/"')
    expect(html).toContain('<title>A &quot;title&quot; &lt;b&gt;</title>')
    expect(html).not.toMatch(/<script| on[a-z]+=| style=/i)
  })

  test('names the hash of its style element', () => {
    const { html, styleHashes } = renderPublicPage(<GonePage />, about)
    const styles = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map((match) => match[1] ?? '')
    expect(styles).toHaveLength(1)
    expect(styles[0]).toContain('.notice-title')
    expect(
      styles.map((css) => `'sha256-${createHash('sha256').update(css).digest('base64')}'`),
    ).toEqual(styleHashes)
  })

  test('is small enough to come in one round trip', () => {
    const { html } = renderPublicPage(<NotFoundPage />, about)
    expect(Buffer.byteLength(html)).toBeLessThan(14_000)
  })
})

test('social icons stand in even rows: none is left alone', () => {
  const lengths = Array.from({ length: 50 }, (_, i) => i + 1)
  for (const icons of lengths) {
    const row = rowLength(icons)
    const last = icons % row || row
    expect([icons, row >= 4 && row <= 7]).toEqual([icons, true])
    if (icons > 7) expect([icons, row - last < Math.ceil(icons / row)]).toEqual([icons, true])
  }
  expect([13, 8, 15].map(rowLength)).toEqual([7, 4, 5])
})
