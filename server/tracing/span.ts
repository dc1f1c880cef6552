import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { toError } from '../primitives/caught-error.ts'

const tracer = trace.getTracer('hoplet')
/** Takes everything and leads nowhere. The library makes one like it for each span, and a context. */
const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
let isTracing = false

/** From here on spans lead somewhere (tracing.ts). */
export function startSpans(): void {
  isTracing = true
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

interface SpanOptions {
  kind?: keyof typeof kinds
  /** Never addresses, bodies, queries or tokens: traces leave this machine. */
  attributes?: Attributes
}

/** Runs `work` as a part of the current trace; an error that it throws marks the part as failed, by its name only. */
export function inSpan<T>(
  name: string,
  { kind = 'internal', attributes }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (!isTracing) return work(noSpan)
  const options = { kind: kinds[kind], ...(attributes && { attributes }) }
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      markFailed(span, toError(error).name)
      throw error
    } finally {
      span.end()
    }
  })
}

/** @param type of the error, for example a class or a status */
export function markFailed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}
