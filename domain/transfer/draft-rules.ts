import { checkDestination } from '#domain/links/destinations.ts'
import { isCountryCode } from '#domain/visits/rule-values.ts'
import type { ImportDraft } from './import-draft.ts'
import { isRecord } from './record-fields.ts'

const systemNames = { ios: 'iOS', android: 'Android' } as const

/** A rule for the visitors of a system. An address that no link can have, such as `myapp://`, is a loss. */
export function addSystemRule(
  draft: ImportDraft,
  system: keyof typeof systemNames,
  url: string | undefined,
): void {
  if (url === undefined) return
  const to = storedAddress(url)
  if (to === undefined) draft.lose(`target for ${systemNames[system]}`)
  else draft.rules({ when: [{ fact: 'system', is: [system] }], to })
}

/** Rules for countries from `{ DE: url }`: one for each address. */
export function addCountryRules(draft: ImportDraft, targets: unknown): void {
  if (!isRecord(targets)) return
  const codesByUrl = new Map<string, string[]>()
  for (const [name, url] of Object.entries(targets)) {
    const code = name.trim().toUpperCase()
    const to = typeof url === 'string' ? storedAddress(url) : undefined
    if (to === undefined || !isCountryCode(code)) draft.lose(`target for ${code.slice(0, 20)}`)
    else codesByUrl.set(to, [...(codesByUrl.get(to) ?? []), code])
  }
  for (const [to, codes] of codesByUrl) draft.rules({ when: [{ fact: 'country', is: codes }], to })
}

interface SplitShare {
  url: string | undefined
  percent: number | undefined
}

/** A split for everyone else, in which `own` is the share of the destination. */
export function addSplit(draft: ImportDraft, own: number, others: readonly SplitShare[]): void {
  const split = others.flatMap(({ url, percent }) => {
    const to = url === undefined ? undefined : storedAddress(url)
    return to === undefined || percent === undefined ? [] : [{ to, weight: percent }]
  })
  const weights = [own, ...split.map(({ weight }) => weight)]
  const isWhole = weights.every((weight) => Number.isInteger(weight) && weight >= 1)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (split.length < others.length || !isWhole || sum !== 100) draft.lose('split test')
  else draft.rules({ else: true, split: [{ weight: own }, ...split] })
}

function storedAddress(url: string): string | undefined {
  const checked = checkDestination(url.trim(), { ownHosts: [] })
  return checked.ok ? checked.url : undefined
}
