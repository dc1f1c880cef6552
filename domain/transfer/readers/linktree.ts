import { decodeReferences } from '#domain/texts/character-references.ts'
import { bioEntry } from '#domain/transfer/bio-entry.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { refused } from '#domain/transfer/import-draft.ts'
import { attributeOf, markupTags } from '#domain/transfer/markup-tags.ts'
import { isRecord, lineOf, RecordFields, recordsIn } from '#domain/transfer/record-fields.ts'

/** Nodes of a page's data that are looked at. */
const maxNodes = 500_000
/** Entries of a page that are read; a bio page here has fewer. */
const maxEntries = 1_000
/** Characters of a link's text that are read. */
const maxText = 2_000

/** Linktree and other bio pages: the source of the page (see recordsOfPage), or the data in it. */
export const linktreeReader: RecordReader = {
  name: 'Linktree',
  recordsOf: (json) => (isRecord(json) && 'props' in json ? entriesIn(json) : undefined),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const title = fields.text('title', 'label', 'name')
    const url = fields.address('url', 'href', 'link')
    const type = fields.text('type')?.toUpperCase() ?? 'CLASSIC'
    if (type === 'HEADER' || type === 'GROUP') return bioEntry({ entry: 'header', title })
    const gates = gatesOf(fields.object('rules').object('gate'))
    if (gates.some((gate) => !(gate in openGates)))
      return refused('It was locked there. Add it by hand when everybody may see it', title ?? url)
    const losses = [
      ...gates.flatMap((gate) => openGates[gate] ?? []),
      ...(fields.object('modifiers').value('thumbnailUrl') === undefined ? [] : ['thumbnail']),
      ...(type === 'CLASSIC' || type === 'LINK' ? [] : ['embedded view']),
    ]
    return bioEntry({ entry: 'link', title, url, losses })
  },
}

/** Gates that everybody can pass, with the names of their losses. */
const openGates: Readonly<Record<string, string>> = {
  age: 'age check',
  sensitivecontent: 'warning of sensitive content',
}

/** Names of the active gates before a link; pages that do not list them have one for each value. */
function gatesOf(gate: RecordFields): string[] {
  const active = gate.value('activeOrder')
  if (Array.isArray(active)) return active.flatMap((name) => lineOf(name)?.toLowerCase() ?? 'lock')
  const known = ['age', 'sensitiveContent', 'passcode', 'nft', 'payment']
  return known.filter((name) => gate.flag(name)).map((name) => name.toLowerCase())
}

/**
 * The entries of a bio page in its source: the longest list of links in the data of the page, or else its plain links without
 * those of navigation. Undefined when it has neither.
 */
export function recordsOfPage(html: string): SourceRecord[] | undefined {
  for (const json of dataIn(html)) {
    const entries = entriesIn(json)
    if (entries) return entries
  }
  return anchorsIn(html)
}

/** The data of the page: `__NEXT_DATA__` first. */
function dataIn(html: string): unknown[] {
  const found: { isNext: boolean; json: unknown }[] = []
  for (const tag of markupTags(html)) {
    if (tag.name !== 'script' || found.length >= 20) continue
    const isNext = attributeOf(tag, 'id') === '__NEXT_DATA__'
    if (!isNext && attributeOf(tag, 'type') !== 'application/json') continue
    const end = html.indexOf('</script', tag.end)
    if (end === -1) break
    try {
      found.push({ isNext, json: JSON.parse(html.slice(tag.end, end)) as unknown })
    } catch {
      // Another script of the page may be whole.
    }
  }
  return found.toSorted((a, b) => Number(b.isNext) - Number(a.isNext)).map(({ json }) => json)
}

/** The longest list of objects that look like links, wherever it is: the names of the lists around it change often. */
function entriesIn(json: unknown): SourceRecord[] | undefined {
  let best: SourceRecord[] = []
  let bestScore = 0
  const waiting: unknown[] = [json]
  for (let nodes = 0; waiting.length > 0 && nodes < maxNodes; nodes++) {
    const value = waiting.pop()
    if (Array.isArray(value)) {
      const entries = recordsIn(value).filter(isEntry)
      const score = scoreOf(entries)
      // The last ones are looked at first: of two equal lists the first one wins.
      if (score > 0 && score >= bestScore) [best, bestScore] = [entries, score]
      for (const each of value) if (typeof each === 'object') waiting.push(each)
    } else if (isRecord(value)) {
      for (const each of Object.values(value)) if (typeof each === 'object') waiting.push(each)
    }
  }
  if (best.length === 0) return undefined
  return best
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .flatMap((entry) => [entry, ...recordsIn(entry['links']).filter(isEntry)])
    .slice(0, maxEntries)
}

/** A list that a person has put in order comes before one of the page's menus. */
function scoreOf(entries: readonly SourceRecord[]): number {
  const links = entries.filter(isLink).length
  const isOrdered = entries.some((entry) => 'position' in entry || 'type' in entry)
  return links === 0 || !isOrdered ? links : links + maxNodes
}

function isLink(record: SourceRecord): boolean {
  return hasTitle(record) && typeof record['url'] === 'string' && record['url'] !== ''
}

function isEntry(record: SourceRecord): boolean {
  const type = typeof record['type'] === 'string' ? record['type'].toUpperCase() : ''
  return isLink(record) || (hasTitle(record) && (type === 'HEADER' || type === 'GROUP'))
}

function hasTitle({ title }: SourceRecord): boolean {
  return typeof title === 'string' && title !== ''
}

function positionOf({ position }: SourceRecord): number {
  return typeof position === 'number' ? position : 0
}

const navigation = new Set(['nav', 'footer', 'noscript', 'template', 'svg'])
const ignored = new Set(['script', 'style'])

/** The plain links of a page, each address once; those to the site itself are navigation. */
function anchorsIn(html: string): SourceRecord[] | undefined {
  const found = new Map<string, string>()
  let own = ''
  let depth = 0
  let open: { url: string; text: string; from: number } | undefined
  const hidden: string[] = []
  for (const tag of markupTags(html)) {
    const { name } = tag
    const [within] = hidden.slice(-1)
    if (within !== undefined && ignored.has(within) && name !== `/${within}`) continue
    if (open && open.text.length < maxText)
      open.text += ` ${html.slice(open.from, Math.min(tag.start, open.from + maxText))}`
    if (open) open.from = tag.end
    if (name === 'link' && attributeOf(tag, 'rel')?.toLowerCase() === 'canonical')
      own = hostOf(attributeOf(tag, 'href')) ?? own
    if (navigation.has(name) || ignored.has(name)) {
      hidden.push(name)
      if (navigation.has(name)) depth++
    } else if (within !== undefined && name === `/${within}`) {
      hidden.pop()
      if (navigation.has(within)) depth--
    }
    if (name === '/a' && open) {
      const text = lineOf(decodeReferences(open.text.slice(0, maxText))) ?? ''
      if (text !== '' && hostOf(open.url) !== own && !found.has(open.url)) found.set(open.url, text)
      open = undefined
    }
    const href = name === 'a' && depth === 0 ? attributeOf(tag, 'href') : undefined
    if (href !== undefined && /^https?:\/\//i.test(href.trim()))
      open = { url: decodeReferences(href.trim()), text: '', from: tag.end }
    if (found.size >= maxEntries) break
  }
  if (found.size === 0) return undefined
  return [...found].map(([url, title]) => ({ title, url }))
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url)
    ? new URL(url).host.replace(/^www\./, '')
    : undefined
}
