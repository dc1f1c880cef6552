import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser } from '../factories.ts'
import { startTestServer, type TestServer } from '../server.ts'

interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

/** What the collector got, and how it behaves. */
const spans: ReceivedSpan[] = []
let received = ''
let headersSeen: unknown
let behavior: 'takes' | 'refuses' | 'hangs' = 'takes'

const collector = createServer((request, response) => {
  void json(request).then((body) => {
    if (behavior === 'hangs') return
    if (behavior === 'refuses') return response.writeHead(500).end()
    expect(request.url).toBe('/v1/traces')
    headersSeen = request.headers['x-team']
    received += JSON.stringify(body)
    const { resourceSpans } = body as {
      resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
    }
    for (const { scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})

let server: TestServer
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const { port } = collector.address() as AddressInfo
  const { tracing } = createConfig(
    parseVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=links%20and%20pages',
      OTEL_SERVICE_NAME: 'hop',
    }),
  )
  server = await startTestServer({ tracing })
})
afterAll(async () => {
  behavior = 'hangs'
  const before = performance.now()
  await fetch(`${server.url}/health/live`)
  await server.close()
  // A collector that hangs does not hold up the end: 2 s, and the rest of a stop.
  expect(performance.now() - before).toBeLessThan(20_000)
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
})

const attributeOf = (span: ReceivedSpan | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0]

/** The spans of a trace, once its request has arrived. */
async function traceOf(traceId: string): Promise<ReceivedSpan[]> {
  const found = () => spans.filter((span) => span.traceId === traceId)
  await expect.poll(() => found().some(({ kind }) => kind === 2), { timeout: 60_000 }).toBe(true)
  return found()
}

describe('a traced server', () => {
  it('continues the trace of a request, down to its transactions', async () => {
    const ann = await makeUser(server)
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const response = await fetch(
      `${server.url}/rest/v1/shortened_urls?select=id&original_url=eq.https://very-secret.example`,
      {
        headers: { ...ann.headers, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      },
    )
    const trace = await traceOf(traceId)
    const request = trace.find(({ kind }) => kind === 2)
    expect(request?.name).toBe('GET rest')
    expect(request?.parentSpanId).toBe('b7ad6b7169203331')
    expect(attributeOf(request, 'http.response.status_code')).toBe(response.status)
    expect(attributeOf(request, 'hoplet.request_id')).toBe(response.headers.get('x-request-id'))
    // The first request may read the catalog as well.
    const transactions = trace.filter(({ name }) => name === 'transaction')
    const own = transactions.find((each) => attributeOf(each, 'hoplet.role') === 'authenticated')
    expect(own?.parentSpanId).toBe(request?.spanId)
    expect(received).toContain('"hop"')
    expect(headersSeen).toBe('links and pages')
    // Content and identity of people stay here.
    expect(received).not.toContain('very-secret')
    expect(received).not.toContain(ann.email)
    expect(received).not.toContain(ann.headers['authorization']?.slice(7))
  })

  it('goes on when the collector refuses', async () => {
    behavior = 'refuses'
    for (let i = 0; i < 20; i++) expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
    behavior = 'takes'
    const traceId = '0af7651916cd43dd8448eb211c80319d'
    await fetch(`${server.url}/health/live`, {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    })
    await traceOf(traceId)
  })

  it('keeps no trace that began elsewhere and is not sampled there', async () => {
    const [without, sampled] = ['1', '2'].map((n) => n.repeat(32))
    for (const [traceId, flag] of [
      [without, '00'],
      [sampled, '01'],
    ])
      await fetch(`${server.url}/health/live`, {
        headers: { traceparent: `00-${traceId}-b7ad6b7169203331-${flag}` },
      })
    await traceOf(sampled ?? '')
    expect(spans.filter(({ traceId }) => traceId === without)).toEqual([])
  })
})

it('the configuration lists wrong settings of tracing', () => {
  const problemsOf = (environment: Record<string, string>) => {
    try {
      parseVariables(environment)
      return []
    } catch (error) {
      return (error as { problems: string[] }).problems
    }
  }
  expect(
    problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector', OTEL_TRACES_SAMPLER_ARG: '2' }),
  ).toHaveLength(2)
  expect(problemsOf({ OTEL_SERVICE_NAME: 'hop' })).toEqual([
    'OTEL_EXPORTER_OTLP_ENDPOINT: is missing, though OTEL_SERVICE_NAME is set',
  ])
  expect(
    problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'x' }),
  ).toEqual(['OTEL_EXPORTER_OTLP_HEADERS: must be name=value,name=value'])
})
