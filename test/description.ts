import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { TestServer } from './server.ts'

/** Reads the description of a door, and calls the door by it. */

interface Operation {
  security: unknown[]
  requestBody?: { content: Record<string, { schema: { required?: string[] } }> }
  responses: Record<string, { content?: Record<string, { schema?: object }> }>
}
export interface Description {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

export type Door = 'auth' | 'functions'
type Server = Pick<TestServer, 'url'>

export const ask = ({ url }: Server, door: Door, path: string, init: RequestInit = {}) =>
  fetch(`${url}/${door}/v1${path}`, { redirect: 'manual', ...init })

export async function describeFor(
  server: Server,
  door: Door,
  headers: Record<string, string> = {},
) {
  const response = await ask(server, door, '/openapi.json', { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/openapi+json; charset=utf-8',
  ])
  return (await response.json()) as Description
}

/** Sends a call of the description, and holds its answer against it. */
export function callBy(
  server: Server,
  document: Description,
  door: Door,
  headers: Record<string, string>,
) {
  const ajv = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true, uri: true } })
  ajv.addSchema(document, 'description')
  return async (name: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const [method = '', template = ''] = name.split(' ')
    const operation = document.paths[template]?.[method.toLowerCase()]
    const response = await ask(server, door, path, {
      method,
      headers: { ...headers, ...more, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const described = operation?.responses[String(response.status)]
    const text = await response.text()
    expect([name, response.status, described !== undefined, text]).toEqual([
      name,
      response.status,
      true,
      text,
    ])
    if (described?.content?.['application/json'] === undefined) return {}
    const pointer = [template, method.toLowerCase(), 'responses', String(response.status)]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const check = ajv.compile({
      $ref: `description#/paths/${pointer}/content/application~1json/schema`,
    })
    const answer: unknown = JSON.parse(text)
    expect([name, check(answer), check.errors]).toEqual([name, true, null])
    return answer as Record<string, unknown>
  }
}
