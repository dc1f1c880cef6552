import * as z from 'zod'
import { compressBody } from './compression.ts'
import type { DoorRoute, GuardFacts } from './router.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** A JSON Schema, or another part of an OpenAPI document. */
export type Json = Record<string, unknown>

/** Description of a call beyond its route and guards. */
export interface Operation {
  tag: string
  summary: string
  description?: string
  /** The JSON body, where the handler reads it and not a guard. */
  body?: z.ZodType
  /** Fields of the body that the handler requires, although their types are looser. */
  needs?: readonly string[]
  /** The fields of a form, instead of a JSON body. */
  form?: z.ZodType
  query?: z.ZodType
  /** By status: the JSON, another media type, or a sentence for an answer without a body. */
  answers: Readonly<Record<number, z.ZodType | { media: string; says: string } | string>>
}

/** By method and path, as the route table has them. `refused`: clients of the protocol know the call, this server never does it. */
export type Operations = Readonly<Record<string, Operation | 'refused'>>

/** Makes descriptions of calls with one tag. `answer`: the JSON of status 200, or all answers by status. */
export const operationsOf =
  (tag: string) =>
  (
    summary: string,
    answer: z.ZodType | Operation['answers'],
    more: Omit<Operation, 'tag' | 'summary' | 'answers'> = {},
  ): Operation => ({
    tag,
    summary,
    answers: answer instanceof z.ZodType ? { 200: answer } : answer,
    ...more,
  })

interface DescribedDoor {
  title: string
  description: string
  /** `https://hoplet.example/auth/v1` */
  address: string
  routes: readonly Pick<DoorRoute<never>, 'method' | 'path' | 'facts'>[]
  operations: Operations
  error: z.ZodType
}

/** One call: several routes, when the query decides between them. */
interface Described {
  operation: Operation
  facts: GuardFacts
  /** The value of the query by which this route is chosen. */
  chosenBy?: { name: string; value: string }
}

export const json = (schema: Json) => ({ 'application/json': { schema } })

/**
 * Describes a door as OpenAPI 3.1: its route table gives paths, callers, bodies and queries, `operations` the rest.
 *
 * @param sees whether a call for such callers is listed
 * @throws {Error} for a route that `operations` lacks
 */
export function describeDoor(
  door: DescribedDoor,
  sees: (caller: GuardFacts['caller'], operation: Operation) => boolean,
): Json {
  const schemas: Json = {}
  const calls = new Map<string, Described[]>()
  for (const { method, path, facts } of door.routes) {
    const operation = orThrow(
      door.operations[`${method} ${path}`],
      () => new Error(`${method} ${path} has no description`),
    )
    if (operation === 'refused' || !sees(facts.caller, operation)) continue
    const [plain = '', query] = path.split('?', 2)
    const [[name, value] = []] = new URLSearchParams(query)
    const chosenBy = name !== undefined && value !== undefined ? { name, value } : undefined
    const key = `${method} ${plain}`
    calls.set(key, [...(calls.get(key) ?? []), { operation, facts, ...(chosenBy && { chosenBy }) }])
  }
  const paths: Record<string, Json> = {}
  for (const [key, described] of calls) {
    const [method = '', path = ''] = key.split(' ')
    const shown = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[shown] = {
      ...paths[shown],
      [method.toLowerCase()]: callOf(method, path, described, schemas),
    }
  }
  const error = json(schemaOfShape(door.error, schemas))
  return {
    openapi: '3.1.0',
    info: { title: door.title, version: '1', description: door.description },
    servers: [{ url: door.address }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas,
      responses: { Error: { description: 'What is wrong', content: error } },
    },
  }
}

/** Keeps a door's descriptions, one for each kind of caller: making one takes 20 ms. */
export function describeOnce<Caller>(make: (address: string, caller: Caller) => Json) {
  const made = new Map<Caller, { address: string; document: Json }>()
  return (address: string, caller: Caller): Json => {
    const known = made.get(caller)
    if (known?.address === address) return known.document
    const document = make(address, caller)
    made.set(caller, { address, document })
    return document
  }
}

/** The answer with a description, which depends on the caller. */
export async function openApiResponse(document: Json, request: Request): Promise<Response> {
  const { body, headers } = await compressBody(
    JSON.stringify(document),
    request.headers.get('accept-encoding'),
  )
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': 'application/openapi+json; charset=utf-8',
      'Cache-Control': 'no-store',
    },
  })
}

function callOf(method: string, path: string, described: readonly Described[], schemas: Json) {
  const head = described.find(({ chosenBy }) => !chosenBy) ?? described[0]
  if (!head) return {}
  const { operation, facts } = head
  const { tag, summary, description } = operation
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const parameters = [
    ...named,
    ...choiceOf(described),
    ...parametersOf(facts.query ?? operation.query, schemas),
  ]
  const body = bodyOf(described, schemas)
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-z0-9]+/gi, '_')}`,
    tags: [tag],
    summary,
    ...wordsOf(description, facts),
    security: facts.caller === undefined ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: responsesOf(operation, facts, schemas),
  }
}

function wordsOf(description: string | undefined, { caller, scope }: GuardFacts) {
  const callers = { person: '', admin: 'For admins.', service_role: 'For the operator’s programs.' }
  const more = [
    description,
    caller && callers[caller],
    scope && `An API key or an app needs \`${scope}\`.`,
  ].filter(Boolean)
  return more.length > 0 ? { description: more.join(' ') } : {}
}

/** The parameter that decides between routes of one path. */
function choiceOf(described: readonly Described[]) {
  const chosen = described.flatMap(({ chosenBy }) => (chosenBy ? [chosenBy] : []))
  const [first] = chosen
  if (!first) return []
  const schema = { type: 'string', enum: chosen.map(({ value }) => value) }
  return [{ name: first.name, in: 'query', required: true, schema }]
}

function parametersOf(query: z.ZodType | undefined, schemas: Json) {
  if (!query) return []
  const { properties = {}, required = [] } = schemaOfShape(query, schemas) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function bodyOf(described: readonly Described[], schemas: Json) {
  const bodies = described.flatMap(({ operation, facts }) => {
    const shape = operation.form ?? operation.body ?? facts.body
    return shape ? [{ operation, schema: bodySchema(shape, operation, schemas) }] : []
  })
  const [first, ...more] = bodies
  if (!first) return undefined
  const media = first.operation.form ? 'application/x-www-form-urlencoded' : 'application/json'
  const schema =
    more.length === 0
      ? first.schema
      : { oneOf: bodies.map((one) => ({ title: one.operation.summary, ...one.schema })) }
  const required = bodies.some((one) => ((one.schema['required'] as string[]) ?? []).length > 0)
  return { required, content: { [media]: { schema } } }
}

function bodySchema(shape: z.ZodType, { needs = [] }: Operation, schemas: Json): Json {
  const { properties, ...schema } = schemaOfShape(shape, schemas) as BodySchema
  const required = [...new Set([...(schema.required ?? []), ...needs])]
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    needs.includes(name) ? withoutNull(field) : field,
  ])
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(fields) as Json }),
    ...(required.length > 0 && { required }),
  }
}

interface BodySchema extends Json {
  properties?: Record<string, Json>
  required?: string[]
}

function withoutNull({ type, ...schema }: Json): Json {
  return { ...schema, type: Array.isArray(type) ? (type as string[])[0] : type }
}

function responsesOf({ answers }: Operation, { caller }: GuardFacts, schemas: Json) {
  const refused = { $ref: '#/components/responses/Error' }
  const known = Object.entries(answers).map(([status, answer]) => {
    if (typeof answer === 'string') return [status, { description: answer }]
    if (!(answer instanceof z.ZodType))
      return [status, { description: answer.says, content: { [answer.media]: {} } }]
    const content = json(schemaOfShape(answer, schemas))
    return [status, { description: answer.description ?? 'The result', content }]
  })
  return {
    ...(Object.fromEntries(known) as Json),
    ...(caller && { 401: refused, 403: refused }),
    default: refused,
  }
}

/** Schema of a request or a response. A shape with an id becomes a component. */
export function schemaOfShape(shape: z.ZodType, schemas: Json): Json {
  const {
    $schema: _,
    $defs,
    ...schema
  } = z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => joinNull(jsonSchema as Json),
  })
  const moved = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'))
  Object.assign(schemas, moved($defs ?? {}))
  return moved(schema) as Json
}

/** `string | null` is one type and no choice of two shapes, as which readers would see it. */
function joinNull(schema: Json): void {
  const [one, none, ...more] = (schema['anyOf'] ?? []) as Json[]
  if (none?.['type'] !== 'null' || more.length > 0 || typeof one?.['type'] !== 'string') return
  delete schema['anyOf']
  const { type, enum: choices, ...rest } = one
  const named = Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}
  Object.assign(schema, rest, { type: [type, 'null'] }, named)
}
