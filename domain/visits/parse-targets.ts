import { destinationNotice } from '#domain/links/destination-notice.ts'
import { checkDestination } from '#domain/links/destinations.ts'
import { type AppAddresses, ruleBounds, type SplitVariant } from './rules.ts'
import type { RulesReader } from './rules-reader.ts'

/** An address that a link may lead to, as it is stored. */
export function readAddress(json: unknown, path: string, reader: RulesReader): string | undefined {
  if (typeof json !== 'string') return reader.report(path, 'An address is needed')
  const checked = checkDestination(json, { ownHosts: reader.ownHosts })
  if (checked.ok) return checked.url
  return reader.report(path, destinationNotice(checked.reason).description ?? 'Invalid URL')
}

/** @param isFirstOwn the first variant is the link's own destination */
export function readSplit(
  json: unknown,
  path: string,
  reader: RulesReader,
  { isFirstOwn = false } = {},
): SplitVariant[] | undefined {
  const { minVariants, maxVariants } = ruleBounds
  if (!Array.isArray(json) || json.length < minVariants || json.length > maxVariants)
    return reader.report(path, `A split has ${minVariants} to ${maxVariants} variants`)
  const variants = json.flatMap(
    (item: unknown, i) => readVariant(item, `${path}.${i}`, reader, isFirstOwn && i === 0) ?? [],
  )
  if (variants.length < json.length) return undefined
  const sum = variants.reduce((total, { weight }) => total + weight, 0)
  if (sum !== 100)
    return reader.report(path, `The weights of a split add up to 100; these add up to ${sum}`)
  return variants
}

function readVariant(
  item: unknown,
  path: string,
  reader: RulesReader,
  isOwn: boolean,
): SplitVariant | undefined {
  const variant = reader.object(item, path, ['id', 'to', 'weight'])
  if (!variant) return undefined
  const id = reader.id(variant['id'], `${path}.id`)
  const to = isOwn
    ? readOwn(variant['to'], `${path}.to`, reader)
    : readAddress(variant['to'], `${path}.to`, reader)
  const { weight } = variant
  const { minWeight, maxWeight } = ruleBounds
  if (
    typeof weight !== 'number' ||
    !Number.isInteger(weight) ||
    weight < minWeight ||
    weight > maxWeight
  )
    return reader.report(
      `${path}.weight`,
      `A weight is a whole number from ${minWeight} to ${maxWeight}`,
    )
  return id === undefined || to === undefined ? undefined : { id, to, weight }
}

function readOwn(json: unknown, path: string, reader: RulesReader): string | null | undefined {
  const { destination } = reader
  if (json === undefined || json === null || json === destination) return null
  if (destination === undefined) return readAddress(json, path, reader)
  const checked = typeof json === 'string' && checkDestination(json, { ownHosts: [] })
  if (checked && checked.ok && checked.url === destination) return null
  return reader.report(path, notTheDestination)
}

/** Refusal of the first variant of everyone else; the database says the same (database/code/22_rules.sql). */
const notTheDestination =
  'The first variant of everyone else is the destination of the link: leave its address out'

export function readApp(
  json: unknown,
  path: string,
  reader: RulesReader,
): AppAddresses | undefined {
  const app = reader.object(json, path, ['ios', 'android', 'fallback'])
  if (!app) return undefined
  const ios = readAppAddress(app['ios'], `${path}.ios`, reader)
  const android = readAppAddress(app['android'], `${path}.android`, reader)
  const fallback = readAddress(app['fallback'], `${path}.fallback`, reader)
  if (app['ios'] === undefined && app['android'] === undefined)
    return reader.report(path, 'An app link has an address for iOS, for Android, or for both')
  if (fallback === undefined) return undefined
  return { ...(ios !== undefined && { ios }), ...(android !== undefined && { android }), fallback }
}

function readAppAddress(json: unknown, path: string, reader: RulesReader): string | undefined {
  if (json === undefined) return undefined
  if (typeof json !== 'string' || /^https:/i.test(json)) return readAddress(json, path, reader)
  return reader.report(
    path,
    'An app link leads to an https address; custom schemes such as myapp:// are not possible',
  )
}
