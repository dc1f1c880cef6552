import {
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { NotFoundError } from './tables.ts'
import type { ToolContext } from './tool.ts'
import { listLinks } from './tools/find-links.ts'
import { findLink, presentLink } from './tools/links.ts'
import { askReport } from './tools/reports.ts'

const mimeType = 'application/json'
const newest = { sort: 'newest', limit: 100 }
const reportMs = 30 * 86_400_000

interface Kind extends ResourceTemplate {
  scopes: readonly OAuthScope[]
  read(context: ToolContext, code: string): Promise<unknown>
}

const kinds: readonly Kind[] = [
  {
    name: 'link',
    title: 'A link',
    description: 'One of the person’s links, by its code.',
    uriTemplate: 'hoplet://links/{code}',
    mimeType,
    scopes: ['links:read'],
    read: async (context, code) => presentLink(context, await findLink(context, code)),
  },
  {
    name: 'report',
    title: 'Clicks of a link',
    description: 'Clicks of the last 30 days, by day.',
    uriTemplate: 'hoplet://reports/{code}',
    mimeType,
    scopes: ['links:read', 'analytics:read'],
    async read(context, code) {
      const { id } = await findLink(context, code)
      const to = new Date()
      const from = new Date(to.getTime() - reportMs).toISOString()
      const asked = { of: 'link', id, by: 'day', from, to: to.toISOString(), limit: 10 } as const
      return askReport(context, asked)
    },
  },
]

const isOpen = (scopes: ReadonlySet<OAuthScope>, needed: readonly OAuthScope[]) =>
  needed.every((scope) => scopes.has(scope))

export function resourceTemplates(scopes: ReadonlySet<OAuthScope>): ResourceTemplate[] {
  return kinds
    .filter((kind) => isOpen(scopes, kind.scopes))
    .map(({ scopes: _scopes, read: _read, ...template }) => template)
}

/** The newest links, and each of them. @throws {ToolError} */
export async function listResources(context: ToolContext): Promise<ListResourcesResult> {
  if (!isOpen(context.agent.scopes, ['links:read'])) return { resources: [] }
  const { rows } = await listLinks(context, newest)
  const each = rows.map(({ short_code: code, original_url: to }) => ({
    uri: `hoplet://links/${code}`,
    name: code,
    description: `Leads to ${to}`,
    mimeType,
  }))
  const all = { uri: 'hoplet://links', name: 'links', title: 'The newest links', mimeType }
  return { resources: [all, ...each] }
}

/** @throws {McpError | ToolError} */
export async function readResource(context: ToolContext, uri: string): Promise<ReadResourceResult> {
  const content = (value: unknown) => ({
    contents: [{ uri, mimeType, text: JSON.stringify(value) }],
  })
  const { scopes } = context.agent
  if (uri === 'hoplet://links' && isOpen(scopes, ['links:read'])) {
    const { rows } = await listLinks(context, newest)
    return content(rows.map((row) => presentLink(context, row)))
  }
  const [, kindName, code] = /^hoplet:\/\/(link|report)s\/([A-Za-z0-9_-]{1,64})$/.exec(uri) ?? []
  const kind = kinds.find(({ name }) => name === kindName)
  if (!kind || code === undefined || !isOpen(scopes, kind.scopes)) throw notFound(uri)
  try {
    return content(await kind.read(context, code.toLowerCase()))
  } catch (error) {
    throw error instanceof NotFoundError ? notFound(uri) : error
  }
}

/** The protocol's code for a missing resource, which the SDK does not name. */
const resourceNotFound = -32_002

function notFound(uri: string): McpError {
  const shown = uri.slice(0, 200)
  return new McpError(resourceNotFound, `Resource not found: ${shown}`, { uri: shown })
}
