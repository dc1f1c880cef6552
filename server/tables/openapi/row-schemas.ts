import type { Json } from '../../http/openapi.ts'
import type { ColumnFacts, Relation } from '../catalog/catalog.ts'

const formats: Record<string, Json> = {
  uuid: { type: 'string', format: 'uuid' },
  'timestamp with time zone': { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  smallint: { type: 'integer', format: 'int32' },
  integer: { type: 'integer', format: 'int32' },
  bigint: { type: 'integer', format: 'int64' },
  numeric: { type: 'number' },
  real: { type: 'number' },
  'double precision': { type: 'number' },
  boolean: { type: 'boolean' },
  json: {},
  jsonb: {},
}

/** The JSON Schema of a type, as PostgreSQL writes it: `timestamp with time zone`, `text[]`. */
export function typeSchema(type: string): Json {
  if (type.endsWith('[]')) return { type: 'array', items: typeSchema(type.slice(0, -2)) }
  return formats[type] ?? { type: 'string' }
}

function columnSchema({ type, nullable, choices }: ColumnFacts): Json {
  const schema = { ...typeSchema(type), ...(choices && { enum: choices }) }
  const { type: named } = schema as Json
  if (!nullable || typeof named !== 'string') return schema
  return { ...schema, type: [named, 'null'], ...(choices && { enum: [...choices, null] }) }
}

/** A row as it is read: it has every column, unless `select` names fewer. */
export function rowOf(relation: Relation, shown: readonly string[] = []): Json {
  const { description } = relation
  return { ...(description && { description }), ...objectOf(relation, shown, () => true) }
}

/** A row as a request brings it. */
export function writtenRow(
  relation: Relation,
  columns: readonly string[],
  isRequired: (facts: ColumnFacts) => boolean,
): Json {
  return { ...objectOf(relation, columns, isRequired), additionalProperties: false }
}

function objectOf(
  { columns, facts }: Relation,
  shown: readonly string[],
  isRequired: (facts: ColumnFacts) => boolean,
): Json {
  const named = columns.flatMap((name, at) => {
    const known = facts[at]
    return known && shown.includes(name) ? [{ name, known }] : []
  })
  const required = named.filter(({ known }) => isRequired(known)).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(({ name, known }) => [name, columnSchema(known)])),
    ...(required.length > 0 && { required }),
  }
}
