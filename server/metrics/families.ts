import { AggregatorRegistry, type Metric, Registry } from 'prom-client'
import type { ReadableCounts } from '../primitives/counts.ts'
import type { Histogram } from '../primitives/histogram.ts'
import { ifDefined } from '../primitives/if-defined.ts'
import { type Aggregator, aggregators, catalog, type MetricName } from './catalog.ts'

interface Sample {
  labels: Record<string, string>
  value: number
  /** Where it is not the family's name, as in histograms. */
  metricName?: string
}

/** One metric with its values for all labels, in the terms of Prometheus. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  values: Sample[]
  aggregator: Aggregator
}

type Labelled<Value> = [labels: Record<string, string>, value: Value]

/** A value of this moment; true is 1. Without one, for example while it is not known, a metric has no sample. */
type Reading =
  | number
  | boolean
  | undefined
  | Labelled<number | boolean>[]
  | { histograms: Labelled<ReturnType<Histogram['read']>>[] }

/** Values of metrics by their names. */
export type Readings = Partial<Record<MetricName, Reading>>

/** A count for each combination of words, with one label for each place in them. */
export function countsBy(labels: readonly string[], counts: ReadableCounts): Labelled<number>[] {
  return counts
    .read()
    .map(({ words, count }) => [
      Object.fromEntries(labels.map((label, place) => [label, words[place] ?? ''])),
      count,
    ])
}

export function familiesOf(readings: Readings): Family[] {
  return Object.entries(readings).map(([name, reading]) => familyOf(name as MetricName, reading))
}

export function familyOf(name: MetricName, reading: Reading): Family {
  const help = catalog[name]
  if (typeof reading === 'object' && 'histograms' in reading) {
    const values = reading.histograms.flatMap((each) => bucketsOf(name, each))
    return { name, help, type: 'histogram', values, aggregator: 'sum' }
  }
  const parts: Labelled<number | boolean>[] = Array.isArray(reading)
    ? reading
    : reading === undefined
      ? []
      : [[{}, reading]]
  const values = parts.map(([labels, value]) => ({ labels, value: Number(value) }))
  const [type, usual] = name.endsWith('_total')
    ? (['counter', 'sum'] as const)
    : (['gauge', 'max'] as const)
  return { name, help, type, values, aggregator: aggregators[name] ?? usual }
}

function bucketsOf(
  name: string,
  [labels, { buckets, sum, count }]: Labelled<ReturnType<Histogram['read']>>,
): Sample[] {
  return [
    ...buckets.map(({ bound, count: upToBound }) => ({
      labels: { ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound) },
      value: upToBound,
      metricName: `${name}_bucket`,
    })),
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}

/** A duration in the unit of Prometheus, if it is known. */
export function inSeconds(milliseconds: number | undefined): number | undefined {
  return ifDefined(milliseconds, (known) => known / 1_000)
}

/** The text format of Prometheus. */
export function write(families: readonly Family[]): Promise<string> {
  const registry = new Registry()
  for (const family of families) {
    // The part of a metric that the registry reads; the classes of prom-client count by themselves.
    const metric = { name: family.name, get: () => Promise.resolve(family) }
    registry.registerMetric(metric as unknown as Metric)
  }
  return registry.metrics()
}

/** Merges the metrics of all workers. */
export async function merge(processes: readonly Family[][]): Promise<Family[]> {
  const merged = AggregatorRegistry.aggregate([...processes])
  return (await merged.getMetricsAsJSON()) as unknown as Family[]
}
