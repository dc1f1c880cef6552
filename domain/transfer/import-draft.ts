import { isVisible } from '#domain/forms/visible-text.ts'
import { checkDestination, lacksScheme, readDestination } from '#domain/links/destinations.ts'
import { type LinkTextColumn, linkLimits, linkTexts } from '#domain/links/link-limits.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { ruleBounds } from '#domain/visits/rules.ts'
import {
  type Imported,
  type ImportedColumns,
  type ImportedLink,
  labelMaxLength,
  type RefusedRecord,
} from './imported.ts'
import { readInstant } from './read-instant.ts'
import { cutText, isRecord, lineOf, recordsIn } from './record-fields.ts'
import { readFormerAddress, type FormerAddress } from './former-address.ts'

/** Names of the texts, for a loss. */
const textNames: Record<LinkTextColumn, string> = {
  title: 'title',
  note: 'note',
  preview_title: 'preview title',
  preview_description: 'preview text',
}

const idMaxLength = 200
/** Tags of a row that are looked at; a link has fewer. */
const maxTags = 1_000
/** Characters of an address or a code that are kept: all that are longer are refused. */
const maxAddress = 4_096
/** Names of losses that a row lists. */
const maxLosses = 30

/** A link in the making: its options within our bounds, and the names of those that it loses. */
export class ImportDraft {
  readonly #url: string | undefined
  readonly #columns: ImportedColumns = {}
  readonly #losses = new Set<string>()
  readonly #rules: unknown[] = []
  #address: FormerAddress | undefined
  #code: string | undefined
  #host: string | undefined
  #sourceId: string | undefined
  #createdAt: string | undefined
  #clicks: number | undefined

  constructor(url: string | undefined) {
    const kept = url?.slice(0, maxAddress).toWellFormed()
    this.#url = kept !== undefined && lacksScheme(kept) ? `https://${kept}` : kept
  }

  /** Names an option that the link had and cannot have here. */
  lose(...losses: string[]): void {
    for (const loss of losses)
      this.#losses.add(this.#losses.size < maxLosses ? loss : 'more that is not listed')
  }

  /** Switches the link off, as visitors could open more here than there. */
  disable(loss?: string): void {
    this.#columns.is_disabled = true
    if (loss !== undefined) this.lose(loss)
  }

  /** The short address there. Its code is that of the link, unless `code` gave another one. */
  shortAddress(address: FormerAddress | string | undefined): void {
    const read = typeof address === 'string' ? readFormerAddress(address) : address
    this.#address ??= read
  }

  /** A code alone, or a short address with a path. */
  code(code: string | undefined): void {
    const bare = code
      ?.slice(0, maxAddress)
      .toWellFormed()
      .replaceAll(/^\/+|\/+$/g, '')
    const read = bare?.includes('/') ? readFormerAddress(bare) : undefined
    if (read) this.shortAddress(read)
    else if (bare !== undefined && bare !== '') this.#code = bare
  }

  /** The host of a link with an address of another service. */
  host(host: string | undefined): void {
    this.#host = host?.slice(0, maxAddress).toLowerCase()
  }

  sourceId(id: string | undefined): void {
    if (id !== undefined && id.length <= idMaxLength) this.#sourceId = id
  }

  externalId(id: string | undefined): void {
    if (id === undefined) return
    if (id.length <= idMaxLength) this.#columns.external_id = id
    else this.lose('external id')
  }

  text(column: LinkTextColumn, text: string | undefined): void {
    if (text === undefined || !isVisible(text)) return
    const cut = cutText(text, linkTexts[column].maxLength)
    if (cut.isCut) this.lose(`end of the ${textNames[column]}`)
    this.#columns[column] = cut.text
  }

  /** Tags as a list, or as a text in which commas or bars separate them. */
  tags(tags: readonly unknown[] | string | undefined): void {
    if (tags === undefined) return
    const names =
      typeof tags === 'string' ? tags.split(tags.includes(',') ? ',' : '|', maxTags) : tags
    const byKey = new Map<string, string>()
    for (const each of names.slice(0, maxTags)) {
      const name = lineOf(each)?.replaceAll(',', ' ').trim()
      if (name === undefined || !isVisible(name)) continue
      const { text, isCut } = cutText(name, linkLimits.tag)
      if (isCut) this.lose('end of a tag')
      if (!byKey.has(text.toLowerCase())) byKey.set(text.toLowerCase(), text)
    }
    if (byKey.size > linkLimits.tags) this.lose(`tags after the ${linkLimits.tags}th`)
    if (byKey.size > 0) this.#columns.tags = [...byKey.values()].slice(0, linkLimits.tags)
  }

  created(value: unknown): void {
    if (value === undefined) return
    const instant = readInstant(value)
    if (instant !== undefined && Date.parse(instant) <= Date.now()) this.#createdAt = instant
    else this.lose('date')
  }

  clicks(count: number | undefined): void {
    this.#clicks = count
  }

  /** Hides the link in lists, since the time of its last change as far as that is known. */
  archive(isArchived: boolean, changedAt?: unknown): void {
    if (!isArchived) return
    const changed = readInstant(changedAt)
    const isPast = changed !== undefined && Date.parse(changed) <= Date.now()
    this.#columns.archived_at = (isPast ? changed : this.#createdAt) ?? new Date().toISOString()
  }

  starts(value: unknown): void {
    if (value === undefined || isNoDate(value)) return
    const instant = readInstant(value)
    if (instant === undefined) this.disable('start')
    else this.#columns.starts_at = instant
  }

  ends(value: unknown): void {
    if (value === undefined || isNoDate(value)) return
    const instant = readInstant(value)
    if (instant === undefined) return this.disable('expiry')
    const { ends_at } = this.#columns
    this.#columns.ends_at = ends_at && ends_at < instant ? ends_at : instant
  }

  /** The limit less the clicks there, because ours are counted from 0. A limit that is used up switches the link off. */
  maxClicks(value: unknown, limit: number | undefined, used: number | undefined): void {
    if (value === undefined || value === false) return
    if (limit === undefined || limit > linkLimits.maxClicks) return this.disable('click limit')
    if (used === undefined) this.lose('clicks so far of the click limit')
    const left = limit - (used ?? 0)
    if (left < 1) this.disable('click limit, which is used up')
    else this.#columns.max_clicks = left
  }

  /** Where visitors go after the end. */
  fallback(url: string | undefined): void {
    if (url === undefined) return
    const checked = readDestination(url, { ownHosts: [] })
    if (checked.ok) this.#columns.fallback_url = checked.url
    else this.lose('address after the end')
  }

  forwardQuery(overrides: boolean): void {
    this.#columns.forward_query = 'all'
    if (overrides) this.#columns.forward_overrides = true
  }

  /** An https address of a PNG, JPEG or WebP file, as the database demands (app.is_image_address). */
  previewImage(url: string | undefined): void {
    if (url === undefined) return
    const checked = checkDestination(url, { ownHosts: [] })
    if (
      checked.ok &&
      /^https:\/\/[^/?#]+\/[^?#]*\.(?:png|jpe?g|webp)(?:[?#]|$)/i.test(checked.url) &&
      !/\.svgz?(?:[?#]|$)/i.test(checked.url)
    )
      this.#columns.preview_image_url = checked.url
    else this.lose('preview picture')
  }

  /** Adds rules, as programs write them, behind those that the link has. */
  rules(...rules: readonly unknown[]): void {
    this.#rules.push(...rules)
  }

  /** Options that need no words here. */
  set<
    Column extends 'forward_query' | 'forward_overrides' | 'redirect_status' | 'show_preview_page',
  >(column: Column, value: ImportedColumns[Column]): void {
    this.#columns[column] = value
  }

  get createdAt(): string | undefined {
    return this.#createdAt
  }

  finish(): Imported {
    const label = labelOf(
      this.#address?.formerUrl ?? this.#code ?? this.#columns.title ?? undefined,
    )
    if (this.#url === undefined) return refused('This row has no destination', label)
    const code = this.#code ?? this.#address?.code
    if (this.#address && code === undefined) return refused(rootRefusal, label)
    this.#orderDates()
    const rules = this.#keptRules(this.#url)
    const link: ImportedLink = {
      kind: 'link',
      url: this.#url,
      code,
      formerUrl: this.#address?.formerUrl,
      ...(this.#host !== undefined && { host: this.#host }),
      sourceId: this.#sourceId,
      createdAt: this.#createdAt,
      clicksBefore: this.#clicks,
      columns: this.#columns,
      losses: [...this.#losses],
    }
    return rules.length === 0 ? link : { ...link, rules }
  }

  /** A link that ends before it starts was never open. */
  #orderDates(): void {
    const { starts_at, ends_at } = this.#columns
    if (!starts_at || !ends_at || starts_at < ends_at) return
    delete this.#columns.starts_at
    this.disable('start after the end')
  }

  /** The rules that a link can have. Those that cannot be stored are lost by their addresses. */
  #keptRules(destination: string): unknown[] {
    let left = this.#rules
    for (let round = 0; round < 10 && left.length > 0; round++) {
      const parsed = parseRules(left, { ownHosts: [], destination, newId: newIds() })
      if (parsed.ok) return left
      const broken = new Set(parsed.problems.map(({ path }) => path.split('.')[0] ?? ''))
      // Too many, or too long in total: the last ones go.
      const kept = broken.has('')
        ? left.slice(0, fewerThan(left.length))
        : left.filter((_, i) => !broken.has(String(i)))
      for (const rule of left) if (!kept.includes(rule)) this.lose(lostRule(rule))
      left = kept
    }
    for (const rule of left) this.lose(lostRule(rule))
    return []
  }
}

function fewerThan(rules: number): number {
  return rules > ruleBounds.rules ? ruleBounds.rules : Math.floor(rules * 0.75)
}

/** The empty date of some services and of MySQL. */
function isNoDate(value: unknown): boolean {
  return value === 0 || value === false || (typeof value === 'string' && /^[0:\- ]+$/.test(value))
}

function newIds(): () => string {
  let last = 0
  return () => `r${++last}`
}

function lostRule(rule: unknown): string {
  const to = isRecord(rule)
    ? (lineOf(rule['to']) ?? lineOf(recordsIn(rule['split'])[0]?.['to']))
    : undefined
  return to === undefined ? 'rule' : `rule to ${to.slice(0, 80).toWellFormed()}`
}

/** Refusal of the bare address of a host, such as `go.example.com`. */
export const rootRefusal =
  'This is where the bare domain leads, which is a setting of the server and not a link'

/** The label of a row that has no better one is empty. */
function labelOf(text: string | undefined): string {
  return (text ?? '').slice(0, labelMaxLength).toWellFormed()
}

/** A record without a counterpart. */
export function refused(refusal: string, label: string | undefined): RefusedRecord {
  return { kind: 'refused', refusal, label: labelOf(label) }
}
