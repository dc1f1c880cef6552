import { context, propagation, trace } from '@opentelemetry/api'
import type { HttpCall } from '../http/router.ts'
import { inSpan, markFailed } from './span.ts'

interface TracedRequest {
  method: string
  /** The first part of the path: names of links stay out of span names. */
  door: string
  headers: Record<string, string | string[] | undefined>
  requestId: HttpCall['info']['requestId']
}

/**
 * A request as a span, in the trace that its `traceparent` names (W3C Trace Context).
 *
 * @param work answers the request and returns its status
 */
export function traceRequest(
  { method, door, headers, requestId }: TracedRequest,
  work: (traceId: string | undefined) => Promise<number>,
): Promise<number> {
  const attributes = {
    'http.request.method': method,
    'http.route': door,
    'hoplet.request_id': requestId,
  }
  return context.with(propagation.extract(context.active(), headers), () =>
    inSpan(`${method} ${door}`, { kind: 'server', attributes }, async (span) => {
      const { traceId } = span.spanContext()
      const status = await work(trace.isSpanContextValid(span.spanContext()) ? traceId : undefined)
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) markFailed(span, String(status))
      return status
    }),
  )
}
