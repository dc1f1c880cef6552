import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { GonePage } from './gone.tsx'
import { NotFoundPage } from './not-found.tsx'
import { renderPublicPage } from './render.tsx'

const about = { title: 'A "title" <b>', description: 'Words', publicUrl: 'https://hop.example' }

describe('renderPublicPage', () => {
  test('makes a whole document without script', () => {
    const { html } = renderPublicPage(<NotFoundPage />, about)
    expect(html).toMatch(/^<!doctype html><html lang="en">/)
    expect(html).toContain('Oops! Page not found')
    expect(html).toContain('href="/"')
    expect(html).toContain('<title>A &quot;title&quot; &lt;b&gt;</title>')
    expect(html).not.toMatch(/<script| on[a-z]+=| style=/i)
  })

  test('names the hash of its style element', () => {
    const { html, styleHashes } = renderPublicPage(<GonePage name="old-link" />, about)
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
