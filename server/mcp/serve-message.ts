import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { createMcpServer, type McpServerDeps } from './server.ts'

/** Answers one message of the protocol by a separate server object. */
export async function serveMessage(
  deps: McpServerDeps,
  request: Request,
  message: unknown,
): Promise<Response> {
  const server = createMcpServer(deps)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport)
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
