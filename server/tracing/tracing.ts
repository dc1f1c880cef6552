import { diag, type DiagLogger } from '@opentelemetry/api'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { startSpans } from './span.ts'

export interface Tracing {
  /** Sends the remaining spans, for at most two seconds. */
  close(): Promise<void>
}

const exportTimeoutMs = 5_000
const closeTimeoutMs = 2_000
const sendEveryMs = 1_000
/** Spans that wait while the collector is away; more are dropped. */
const maxWaitingSpans = 4_096

/**
 * Sends traces to an OpenTelemetry collector, when one is configured. Until then the libraries are not even loaded. A
 * collector that is away or slow costs spans, never a request.
 */
export async function startTracing(
  settings: Config['tracing'],
  facts: { version: string; host: string },
  log: Logger,
): Promise<Tracing | undefined> {
  if (!settings) return undefined
  const [{ OTLPTraceExporter }, sdk, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/resources'),
  ])
  diag.setLogger(logOnce(log), { suppressOverrideMessage: true })
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: settings.headers,
    timeoutMillis: exportTimeoutMs,
  })
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.version': facts.version,
      'service.instance.id': `${facts.host}:${process.pid}`,
    }),
    // A trace that began elsewhere is sampled as it was decided there.
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(settings.sampleRatio),
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(exporter, {
        maxQueueSize: maxWaitingSpans,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  provider.register()
  startSpans()
  return {
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, closeTimeoutMs).unref())
      await Promise.race([provider.shutdown().catch(() => {}), late])
    },
  }
}

/** The exporter complains about each batch; the log gets one line until it works again an hour later. */
function logOnce(log: Logger): DiagLogger {
  let saidAt = Number.NEGATIVE_INFINITY
  const logError = (message: string) => {
    if (performance.now() - saidAt < 3_600_000) return
    saidAt = performance.now()
    log.warn({ reason: message.slice(0, 300) }, 'traces cannot be sent')
  }
  const ignore = () => {}
  return { error: logError, warn: ignore, info: ignore, debug: ignore, verbose: ignore }
}
