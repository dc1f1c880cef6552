import type * as z from 'zod'
import { json, type Json, schemaOfShape } from '../../http/openapi.ts'
import type { Identity } from '../../tokens/tokens.ts'
import { checkMayCall } from '../limit-rights.ts'
import type { Access, ApiFunction, Relation } from '../catalog/catalog.ts'
import { ProtocolError } from '../errors.ts'
import { rowOf, typeSchema, writtenRow } from './row-schemas.ts'
import type { ProcedureShape } from './shapes.ts'
import { openScope, type ServedSchema } from '../scope.ts'

const ref = (name: string) => ({ $ref: `#/components/${name}` })
const errors = { default: ref('responses/Error') }
const headerParameter = (name: string) => ref(`parameters/${name}`)
const rowsOrNothing = (
  name: string,
  status: string,
  description = 'With `Prefer: return=representation`, the rows',
) => ({
  [status]: {
    description,
    content: json({ type: 'array', items: ref(`schemas/${name}`) }),
  },
  ...errors,
})

/** Relations and procedures of plans, their counters and the affiliate program. */
const ofPlans = /plan|usage|can_create_url|affiliate|commission|referral|payout|held/

/**
 * Describes the rights of an identity at this door as OpenAPI 3.1: the relations and functions that its role is granted, narrowed by
 * the scopes of an app.
 *
 * @param address of the door: `https://hoplet.example/rest/v1`
 * @param sees.admin or the procedures of admins are left out, which refuse everybody else
 * @param sees.plans or plans, their counters and the affiliate program are left out
 */
export function describeTables(
  served: ServedSchema,
  identity: Identity,
  address: string,
  sees: { admin: boolean; plans: boolean },
): Json {
  const { catalog } = served
  const relations = [...catalog.relations.values()]
    .map((relation) => ({ relation, access: accessOf(served, relation, identity) }))
    .filter(({ access }) => access.select || access.insert)
    .filter(({ relation }) => sees.plans || !ofPlans.test(relation.name))
  const functions = [...catalog.functions.values()].filter(
    (each) =>
      mayCall(served, each, identity) &&
      (sees.admin || !each.name.startsWith('admin_')) &&
      (sees.plans || !ofPlans.test(each.name)),
  )
  const shown = new Set(relations.map(({ relation }) => relation.name))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hoplet tables',
      version: '1',
      description:
        'Tables and procedures, in the wire format of PostgREST: any client of that protocol works. Columns are filtered as `column=operator.value`, for example `created_at=gte.2026-01-01`; see https://docs.postgrest.org.',
    },
    servers: [{ url: address }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries([
      ...relations.map(({ relation, access }) => [`/${relation.name}`, pathOf(relation, access)]),
      ...functions.map((each) => [
        `/rpc/${each.name}`,
        callOf(each, shown, served.rules.shapes?.[each.name]),
      ]),
    ]),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries([
        ['Error', errorSchema],
        ...relations.map(({ relation, access }) => [relation.name, rowOf(relation, access.select)]),
      ]),
      responses: { Error: { description: 'What is wrong', content: json(ref('schemas/Error')) } },
      parameters: commonParameters,
    },
  }
}

const errorSchema = {
  type: 'object',
  required: ['code', 'message', 'details', 'hint'],
  properties: {
    code: { type: 'string', description: 'An SQLSTATE, or a code of PostgREST' },
    message: { type: 'string' },
    details: {},
    hint: { type: ['string', 'null'] },
  },
}

const query = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'query',
  description,
  schema,
})
const commonParameters = {
  select: query('select', 'Columns and related rows, such as `id,popup:popups(title)`'),
  order: query('order', 'Such as `created_at.desc,id`'),
  limit: query('limit', 'At most 1,000', { type: 'integer', minimum: 0 }),
  offset: query('offset', 'Rows to leave out', { type: 'integer', minimum: 0 }),
  onConflict: query('on_conflict', 'The unique columns that an upsert compares'),
  prefer: {
    name: 'Prefer',
    in: 'header',
    description: 'Such as `return=representation`, `count=exact`, `resolution=merge-duplicates`',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'For a day, requests with one key change something once, however often they come',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
}

/** Rights of the identity; none when even that is refused. */
function accessOf(served: ServedSchema, { name }: Relation, identity: Identity): Access {
  const allowed = (verb: keyof Access): Access =>
    unlessRefused({}, () => {
      const { access } = openScope(served, name, identity, verb)
      return access[verb] === undefined ? {} : { [verb]: access[verb] }
    })
  return {
    ...allowed('select'),
    ...allowed('insert'),
    ...allowed('update'),
    ...allowed('delete'),
  }
}

function mayCall(
  { rules }: ServedSchema,
  { name, roles }: ApiFunction,
  identity: Identity,
): boolean {
  return unlessRefused(false, () => {
    checkMayCall(name, rules.functions[name] ?? {}, identity)
    return roles.includes(identity.role)
  })
}

/** The result of a check, or the one for an identity that it refuses. */
function unlessRefused<Result>(refused: Result, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (error instanceof ProtocolError) return refused
    throw error
  }
}

function pathOf(relation: Relation, access: Access): Json {
  const { name, description } = relation
  const filters = (access.select ?? []).map((column) =>
    query(column, `Filter, such as \`eq.${column === 'id' ? '…' : 'value'}\``),
  )
  const shared = { tags: [name], ...(description && { description }) }
  const body = (schema: Json) => ({ required: true, content: json(schema) })
  const created = writtenRow(relation, access.insert ?? [], ({ optional }) => !optional)
  const [select, prefer, idempotencyKey] = ['select', 'prefer', 'idempotencyKey'].map(
    headerParameter,
  )
  const changing = [...filters, select, prefer, idempotencyKey]
  return {
    ...(access.select && {
      get: {
        ...shared,
        operationId: `list_${name}`,
        summary: `List ${name}`,
        parameters: [
          ...filters,
          select,
          ...['order', 'limit', 'offset', 'prefer'].map(headerParameter),
        ],
        responses: rowsOrNothing(name, '200', 'Rows; with `select`, the columns that it names'),
      },
    }),
    ...(access.insert && {
      post: {
        ...shared,
        operationId: `create_${name}`,
        summary: `Create ${name}`,
        parameters: [select, headerParameter('onConflict'), prefer, idempotencyKey],
        requestBody: body({
          oneOf: [created, { type: 'array', maxItems: 1_000, items: created }],
        }),
        responses: {
          ...rowsOrNothing(name, '200', 'An upsert that created no row; the rows, as for 201'),
          ...rowsOrNothing(name, '201'),
        },
      },
    }),
    ...(access.update && {
      patch: {
        ...shared,
        operationId: `change_${name}`,
        summary: `Change ${name} that match the filters`,
        parameters: changing,
        requestBody: body(writtenRow(relation, access.update, () => false)),
        responses: { ...rowsOrNothing(name, '200'), 204: { description: 'Without it' } },
      },
    }),
    ...(access.delete && {
      delete: {
        ...shared,
        operationId: `delete_${name}`,
        summary: `Delete ${name} that match the filters`,
        parameters: changing,
        responses: { ...rowsOrNothing(name, '200'), 204: { description: 'Without it' } },
      },
    }),
  }
}

/** Made once: each takes a while. */
const schemas = new WeakMap<z.ZodType, Json>()

/** The schema of a shape; without one that of the type as PostgreSQL writes it. */
function knownSchema(shape: z.ZodType | undefined, type = 'jsonb'): Json {
  if (shape === undefined) return typeSchema(type)
  const made = schemas.get(shape) ?? schemaOfShape(shape, {})
  schemas.set(shape, made)
  return made
}

/** Parameters are texts, some of a list of words. */
function parameterSchema(shape: z.ZodType | undefined): Json {
  const schema = knownSchema(shape, 'text')
  return schema['type'] === 'string' ? schema : { type: 'string' }
}

function callOf(
  { name, description, args, returns, stable }: ApiFunction,
  shown: ReadonlySet<string>,
  shape: ProcedureShape = {},
): Json {
  const shared = { tags: ['Procedures'], ...(description && { description }) }
  const row =
    typeof returns === 'object' && shown.has(returns.rows)
      ? { type: 'array', items: ref(`schemas/${returns.rows}`) }
      : knownSchema(shape.result)
  const responses =
    returns === 'void'
      ? { 204: { description: 'Done' }, ...errors }
      : { 200: { description: 'The result', content: json(row) }, ...errors }
  const properties = Object.fromEntries(
    args.map(({ name: each, type }) => [each, knownSchema(shape.args?.[each], type)]),
  )
  const required = args.filter((arg) => !arg.optional).map((arg) => arg.name)
  return {
    ...(stable && {
      get: {
        ...shared,
        operationId: `ask_${name}`,
        summary: `${name} (GET)`,
        parameters: args.map((arg) => ({
          name: arg.name,
          in: 'query',
          required: !arg.optional,
          schema: parameterSchema(shape.args?.[arg.name]),
        })),
        responses,
      },
    }),
    post: {
      ...shared,
      operationId: `call_${name}`,
      summary: name,
      ...(!stable && { parameters: [headerParameter('idempotencyKey')] }),
      requestBody: {
        required: required.length > 0,
        content: json({ type: 'object', properties, required, additionalProperties: false }),
      },
      responses,
    },
  }
}
