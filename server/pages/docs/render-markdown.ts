import { Marked, type Token, type Tokens } from 'marked'
import { escapeMarkup } from '../../primitives/escape-markup.ts'
import { type DocsFile, linkedPath } from './files.ts'

export interface DocsHeading {
  id: string
  text: string
}

export interface RenderedMarkdown {
  title: string
  html: string
  /** The headings of the second level. */
  headings: readonly DocsHeading[]
}

/** Renders a document of this repository. Links to other documents lead to `/docs`; those to source files become text. */
export function renderMarkdown({ file, markdown }: DocsFile): RenderedMarkdown {
  const ids = new Map<string, number>()
  const headings: DocsHeading[] = []
  let title = ''
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = headingId(text, ids)
        if (depth === 1 && title === '') title = plainText(tokens)
        if (depth === 2) headings.push({ id, text: plainText(tokens) })
        return `<h${depth} id="${escapeMarkup(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        const target = targetOf(file, href)
        return target === undefined ? text : `<a href="${escapeMarkup(target)}">${text}</a>`
      },
      // A table may be wider than the page; its own box scrolls, by keys too.
      table(token: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: 'td' | 'th') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="docs-wide" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeMarkup(text)}</code></pre>`
      },
      image: () => '',
      html: ({ text }) => escapeMarkup(text),
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title, html, headings }
}

export interface MarkdownSection {
  depth: number
  heading: string
  id: string
  /** The text below the heading, without markup. */
  text: string
}

/** The headings of a document, each with the text up to the next one. */
export function sectionsOf({ markdown }: DocsFile): MarkdownSection[] {
  const ids = new Map<string, number>()
  const sections: MarkdownSection[] = []
  for (const token of new Marked().lexer(markdown)) {
    const last = sections.at(-1)
    if (token.type === 'heading') {
      const { depth, text, tokens } = token as Tokens.Heading
      sections.push({ depth, heading: plainText(tokens), id: headingId(text, ids), text: '' })
    } else if (last !== undefined) last.text = `${last.text} ${withoutMarkup(token.raw)}`.trim()
  }
  return sections
}

function withoutMarkup(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/^```\w*$|-{3,}|[`*|[\]]/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

export interface DocsGroup {
  name: string
  pages: readonly { path: string; name: string }[]
}

/** The groups of the index: its headings of the second level, with the first link of each item below. */
export function groupsOf({ file, markdown }: DocsFile): DocsGroup[] {
  const groups: { name: string; pages: { path: string; name: string }[] }[] = []
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') groups.push({ name: plainText(token.tokens ?? []), pages: [] })
    if (token.type !== 'list') continue
    for (const item of (token as Tokens.List).items) {
      const link = firstLink(item.tokens)
      const path = link && linkedPath(file, link.href)
      if (link !== undefined && path !== undefined)
        groups.at(-1)?.pages.push({ path, name: plainText(link.tokens) })
    }
  }
  return groups.filter(({ pages }) => pages.length > 0)
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  for (const token of tokens) {
    if (token.type === 'link') return token as Tokens.Link
    const inside = 'tokens' in token ? firstLink(token.tokens ?? []) : undefined
    if (inside !== undefined) return inside
  }
  return undefined
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token)))
    .join('')
}

function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}

function targetOf(file: string, href: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [, hash = ''] = href.split('#')
  const path = linkedPath(file, href)
  if (path === undefined) return undefined
  return `/docs${path === '' ? '' : `/${path}`}${hash === '' ? '' : `#${hash}`}`
}

/** As GitHub makes them, so that links within documents work there and here. */
function headingId(text: string, ids: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}
