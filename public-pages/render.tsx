import { createHash } from 'node:crypto'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import documentCss from './document.css?inline'
import { PublicDocument } from './document.tsx'
import pageCss from './public.css?inline'

const css = `${documentCss}${pageCss}`

// The hash of exactly what stands between <style> and </style>, as a source for the content security policy.
const styleHashes: readonly string[] = [
  `'sha256-${createHash('sha256').update(css).digest('base64')}'`,
]

/** Renders a public page to a whole document. `styleHashes` are the sources that its style-src needs. */
export function renderPublicPage(
  page: ReactElement,
  about: { title: string; description: string; publicUrl: string },
): { html: string; styleHashes: readonly string[] } {
  const document = (
    <PublicDocument {...about} css={css}>
      {page}
    </PublicDocument>
  )
  return { html: `<!doctype html>${renderToStaticMarkup(document)}`, styleHashes }
}
