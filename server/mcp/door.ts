import type { Context } from '../context.ts'
import { BodyError, readJson } from '../http/body.ts'
import { limitKey } from '../http/client-address.ts'
import type { RequestInfo } from '../http/router.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { countAccountRequest } from '../tokens/request-limits.ts'
import { type Agent, authenticateAgent, refusal, Refusal, requireScopes } from './bearer.ts'
import { type AskTables, askTables } from './tables.ts'
import { scopesOfTool } from './tools/all.ts'
import { matchError } from '../primitives/caught-error.ts'

export type McpDeps = Pick<
  Context,
  'config' | 'database' | 'tokens' | 'rateLimits' | 'secretBox' | 'imports'
> & { tables: AskTables }

/** 600 messages a minute, 200 of them at once. Agents of many people may share an address. */
const requestsOfSession: BucketPolicy = { name: 'mcp', burst: 200, windowSeconds: 20 }
const refusedTokens: BucketPolicy = { name: 'mcp-refused', burst: 200, windowSeconds: 20 }
const maxBytes = 1_048_576

/**
 * The door for agents: the Model Context Protocol over Streamable HTTP, one message per POST, without sessions and streams
 * (docs/decisions/0065-agents.md). Every request: origin, limit, token, body, scope, and then a separate server object.
 */
export function createMcpDoor(
  deps: McpDeps,
): (request: Request, info: RequestInfo) => Promise<Response> {
  return async (request, info) => {
    try {
      return await answer(deps, request, info)
    } catch (error) {
      const known: Response | undefined = matchError(
        error,
        [Refusal, ({ response }) => response],
        [BodyError, bodyRefused],
      )
      if (known) return known
      throw error
    }
  }
}

const bodyRefused = ({ status, message }: BodyError) =>
  protocolError(status, status === 413 ? -32_600 : -32_700, message)

async function answer(deps: McpDeps, request: Request, info: RequestInfo): Promise<Response> {
  checkOrigin(deps, request)
  if (request.method !== 'POST')
    throw new Refusal(
      refusal(405, 'method_not_allowed', 'This server takes POST only', { Allow: 'POST' }),
    )
  const agent = await authenticateAgent(deps, { request, info }).catch((error: unknown) => {
    refuseWhen(deps.rateLimits.take(refusedTokens, limitKey(info.address)))
    throw error
  })
  refuseWhen(deps.rateLimits.take(requestsOfSession, String(agent.identity.claims['session_id'])))
  refuseWhen(countAccountRequest(deps, agent.identity, info).wait)
  const message = await readJson(request, maxBytes)
  // Since 2025-06-18 the protocol has no batches, and each call counts against the limits.
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new Refusal(protocolError(400, -32_600, 'The body must be one JSON-RPC message'))
  requireScopes(deps, agent, scopesOfTool(message))
  return serve(deps, agent, request, message, info)
}

/** @throws {Refusal} 429 */
function refuseWhen(wait: number | undefined): void {
  if (wait === undefined) return
  const headers = { 'Retry-After': String(wait) }
  throw new Refusal(
    refusal(429, 'too_many_requests', 'Too many requests. Please try again later.', headers),
  )
}

/** A page that reached this server by another name (DNS rebinding) has another origin. Programs send none. */
function checkOrigin({ config }: McpDeps, { headers }: Request): void {
  const origin = headers.get('origin')
  if (origin !== null && origin !== new URL(config.publicUrl).origin)
    throw new Refusal(refusal(403, 'forbidden_origin', 'No page of this origin may send this'))
}

/** The SDK takes 24 MB and most of a second to load: a server that no agent asks does without. */
async function serve(
  deps: McpDeps,
  agent: Agent,
  request: Request,
  message: unknown,
  info: RequestInfo,
): Promise<Response> {
  const tables = askTables(deps, agent, info)
  const { serveMessage } = await import('./serve-message.ts')
  return serveMessage({ ...deps, agent, tables, log: info.log }, request, message)
}

function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
