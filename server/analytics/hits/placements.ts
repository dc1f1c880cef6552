import { placementMark } from '#domain/links/qr-address.ts'
import type { ClickColumns } from '../../visits/record/decode-clicks.ts'

/**
 * The placement that a scan of a target names, if there is one, as hits have it: `{link}/{mark}`.
 *
 * @param target as the columns have it, 32 hexadecimal digits
 */
export function placementOf(target: string, query: string): string | undefined {
  const mark = placementMark(query)
  return mark === undefined ? undefined : `${uuidOf(target)}/${mark}`
}

/** The links and marks that the scans of a batch name, each pair once: strangers make them up. */
export function scannedPlacements({ targets, queries, kinds }: ClickColumns): {
  links: string[]
  marks: string[]
} {
  const pairs = new Map<string, string>()
  for (const [i, target] of targets.entries()) {
    const mark = kinds[i] === 'link' ? placementMark(queries[i] ?? '') : undefined
    if (mark !== undefined) pairs.set(`${target}/${mark}`, mark)
  }
  return {
    links: [...pairs.keys()].map((pair) => uuidOf(pair.slice(0, 32))),
    marks: [...pairs.values()],
  }
}

const uuidOf = (digits: string) =>
  digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
