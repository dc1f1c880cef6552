import { AggregatorRegistry, type Metric, Registry } from 'prom-client'
import type { ReadableCounts } from '../primitives/counts.ts'
import type { Histogram } from '../primitives/histogram.ts'
import { ifDefined } from '../primitives/if-defined.ts'

interface Sample {
  labels: Record<string, string>
  value: number
  /** Where it is not the family's name, as in histograms. */
  metricName?: string
}

/** How the values of several processes become one. `first` is the primary's. */
type Aggregator = 'sum' | 'min' | 'max' | 'first'

/** One metric with its values for all labels, in the terms of Prometheus. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  values: Sample[]
  aggregator: Aggregator
}

type Labelled<Value> = [labels: Record<string, string>, value: Value]

/** A value that only grows until the process ends. */
export function counter(
  name: string,
  help: string,
  value: number | Labelled<number>[],
  aggregator: Aggregator = 'sum',
): Family {
  return { name, help, type: 'counter', values: samplesOf(value), aggregator }
}

/** A counter with one label for each place in the words of `counts`. */
export function counterOf(
  name: string,
  help: string,
  labels: readonly string[],
  counts: ReadableCounts,
): Family {
  const values = counts.read().map(({ words, count }): Labelled<number> => {
    return [Object.fromEntries(labels.map((label, place) => [label, words[place] ?? ''])), count]
  })
  return counter(name, help, values)
}

/** A value of this moment; true is 1. Without one, for example while it is not known, it has no sample. */
export function gauge(
  name: string,
  help: string,
  value: number | boolean | undefined | Labelled<number | boolean>[],
  aggregator: Aggregator = 'max',
): Family {
  const values = value === undefined ? [] : samplesOf(value)
  return { name, help, type: 'gauge', values, aggregator }
}

export function histogram(
  name: string,
  help: string,
  parts: Labelled<ReturnType<Histogram['read']>>[],
): Family {
  const values = parts.flatMap(([labels, { buckets, sum, count }]) => [
    ...buckets.map(({ bound, count: upToBound }) => ({
      labels: { ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound) },
      value: upToBound,
      metricName: `${name}_bucket`,
    })),
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ])
  return { name, help, type: 'histogram', values, aggregator: 'sum' }
}

function samplesOf(value: number | boolean | Labelled<number | boolean>[]): Sample[] {
  const parts: Labelled<number | boolean>[] = Array.isArray(value) ? value : [[{}, value]]
  return parts.map(([labels, each]) => ({ labels, value: Number(each) }))
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
