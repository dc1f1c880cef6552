import type { Catalog, ForeignKey } from './catalog.ts'
import { problems, ProtocolError } from '../errors.ts'
import type { Embedding } from '../parse/query.ts'

/** How rows of one relation belong to those of another. */
export interface Relationship {
  cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many'
  to: string
  /** The foreign keys that it is made of: two for many-to-many. */
  keys: readonly ForeignKey[]
  /** Pairs of columns that are equal: of the one relation and of the other, or of the relation in between. */
  pairs: readonly (readonly [string, string])[]
  /** Between the two, with the pairs of its columns and those of `to`. */
  through?: { relation: string; pairs: readonly (readonly [string, string])[] }
}

const zip = (one: readonly string[], other: readonly string[]) =>
  one.map((each, at) => [each, other[at] ?? ''] as const)

function relationshipsOf({ foreignKeys, relations }: Catalog, from: string): Relationship[] {
  const own = foreignKeys.filter((key) => key.from === from)
  const others = foreignKeys.filter((key) => key.to === from)
  const between = others.flatMap((first) =>
    foreignKeys
      .filter(({ from: via, name }) => via === first.from && name !== first.name)
      .filter((second) => {
        const key = relations.get(first.from)?.key ?? []
        return key.length > 0 && [...first.columns, ...second.columns].every((c) => key.includes(c))
      })
      .map((second) => ({ first, second })),
  )
  return [
    ...own.map((key) => ({
      cardinality: key.isUnique ? ('one-to-one' as const) : ('many-to-one' as const),
      to: key.to,
      keys: [key],
      pairs: zip(key.columns, key.referenced),
    })),
    ...others.map((key) => ({
      cardinality: key.isUnique ? ('one-to-one' as const) : ('one-to-many' as const),
      to: key.from,
      keys: [key],
      pairs: zip(key.referenced, key.columns),
    })),
    ...between.map(({ first, second }) => ({
      cardinality: 'many-to-many' as const,
      to: second.to,
      keys: [first, second],
      pairs: zip(first.referenced, first.columns),
      through: { relation: first.from, pairs: zip(second.columns, second.referenced) },
    })),
  ]
}

/**
 * Finds the relationship that an embedding means: by the name of the other relation, of a foreign key, or of its one column.
 *
 * @param from the relation with the rows that get it
 * @throws {ProtocolError} 400 PGRST200 without one, 300 PGRST201 with several
 */
export function findRelationship(catalog: Catalog, from: string, embedding: Embedding) {
  const { target, hint } = embedding
  const all = relationshipsOf(catalog, from)
  const named = all.filter((each) => isNamed(each, from, target) && isHinted(each, hint))
  // A relation that refers to itself: its name means the rows that refer to this one, also with a column as the hint; its column as
  // the target means the row that this one refers to.
  const isColumn = named.some(({ keys }) => keys[0]?.columns.includes(target))
  const found = named.filter(
    ({ to, cardinality }) =>
      to !== from || cardinality === 'many-to-many' || (cardinality === 'many-to-one') === isColumn,
  )
  const [first, second] = found
  if (first === undefined) throw problems.relationship(from, target)
  if (second === undefined) return first
  throw ambiguous(from, target, found)
}

function isNamed({ to, keys, cardinality }: Relationship, from: string, target: string): boolean {
  if (to === target) return true
  const [key, more] = keys
  if (!key || more) return false
  const isReferring = key.from === from && cardinality !== 'one-to-many'
  return (
    key.name === target || (isReferring && key.columns.length === 1 && key.columns[0] === target)
  )
}

function isHinted({ keys, through }: Relationship, hint: string | undefined): boolean {
  if (hint === undefined) return true
  if (through) return through.relation === hint || keys.some(({ name }) => name === hint)
  return keys.some(
    ({ name, columns, referenced }) =>
      name === hint || (columns.length === 1 && (columns[0] === hint || referenced[0] === hint)),
  )
}

function ambiguous(from: string, target: string, found: Relationship[]): ProtocolError {
  const hints = found.map(({ keys, through }) => `${target}!${through?.relation ?? keys[0]?.name}`)
  return new ProtocolError({
    status: 300,
    code: 'PGRST201',
    message: `Could not embed because more than one relationship was found for '${from}' and '${target}'`,
    details: found.map(({ cardinality, to, keys, through }) => ({
      cardinality,
      embedding: `${from} with ${to}`,
      relationship: through
        ? `${through.relation} using ${keys.map(describe).join(' and ')}`
        : keys.map(({ name, from: own, columns, to: other, referenced }) =>
            own === from
              ? `${name} using ${own}(${columns.join(', ')}) and ${other}(${referenced.join(', ')})`
              : `${name} using ${other}(${referenced.join(', ')}) and ${own}(${columns.join(', ')})`,
          )[0],
    })),
    hint: `Try changing '${target}' to one of the following: ${[...new Set(hints)].map((each) => `'${each}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
  })
}

const describe = ({ name, columns }: ForeignKey) => `${name}(${columns.join(', ')})`
