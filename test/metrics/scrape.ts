import type { TestServer } from '#test/server.ts'

type Labels = Record<string, string>

interface Sample {
  /** With `_bucket`, `_sum` or `_count` for histograms. */
  name: string
  labels: Labels
  value: number
}

interface ScrapedFamily {
  type: string
  help: string
  samples: Sample[]
}

export interface Scraped {
  families: ReadonlyMap<string, ScrapedFamily>
  /** The sample with exactly these labels. Throws if there is none. */
  value(name: string, labels?: Labels): number
}

/** A port that the system chooses. */
export const withAdminPort = { admin: { host: '127.0.0.1', port: 0 } }

export async function scrape({ adminUrl }: Pick<TestServer, 'adminUrl'>): Promise<Scraped> {
  const response = await fetch(`${adminUrl}/metrics`)
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`)
  const type = response.headers.get('content-type')
  if (type !== 'text/plain; version=0.0.4; charset=utf-8') throw new Error(`it is ${type}`)
  return parse(await response.text())
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const number = /^(?:[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf)|NaN)$/i

/**
 * Reads the text format of Prometheus, version 0.0.4, and accepts less than Prometheus does: each family once, with help
 * and type first and no empty one, no sample twice, complete histograms.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parse(text: string): Scraped {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, ScrapedFamily>()
  const seen = new Map<string, number>()
  let current = ''
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const fail = (why: string) => new Error(`${why}: ${line}`)
    const [, helped, help] = /^# HELP (\S+) (\S.*)$/.exec(line) ?? []
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (helped !== undefined && help !== undefined) {
      if (!metricName.test(helped)) throw fail('not a name')
      if (families.has(helped)) throw fail('a second HELP')
      families.set((current = helped), { type: '', help, samples: [] })
    } else if (typed !== undefined && type !== undefined) {
      const family = families.get(typed)
      if (!family || typed !== current || family.type !== '') throw fail('a TYPE out of place')
      family.type = type
    } else {
      const sample = readSample(line)
      const family = families.get(current)
      if (!family?.type || !belongs(sample.name, current, family.type)) throw fail('out of place')
      const key = keyOf(sample.name, sample.labels)
      if (seen.has(key)) throw fail('a sample twice')
      seen.set(key, sample.value)
      family.samples.push(sample)
    }
  }
  for (const [name, family] of families) check(name, family)
  return {
    families,
    value(name, labels = {}) {
      const found = seen.get(keyOf(name, labels))
      if (found === undefined) throw new Error(`there is no ${keyOf(name, labels)}`)
      return found
    },
  }
}

function readSample(line: string): Sample {
  const [, name, inBraces = '', value] = sampleLine.exec(line) ?? []
  if (name === undefined || value === undefined || !number.test(value))
    throw new Error(`not a sample: ${line}`)
  const labels: Labels = {}
  label.lastIndex = 0
  while (label.lastIndex < inBraces.length) {
    const [, key, text] = label.exec(inBraces) ?? []
    if (key === undefined || text === undefined || key in labels)
      throw new Error(`not labels: ${line}`)
    labels[key] = text.replaceAll(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each))
  }
  return { name, labels, value: Number(value.replace(/^([+-]?)Inf$/i, '$1Infinity')) }
}

function belongs(sample: string, family: string, type: string): boolean {
  if (type !== 'histogram' && type !== 'summary') return sample === family
  return ['_bucket', '_sum', '_count'].some((ending) => sample === family + ending)
}

const keyOf = (name: string, labels: Labels) =>
  `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`

function check(name: string, { type, samples }: ScrapedFamily): void {
  if (type === '') throw new Error(`${name} has no type`)
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name} is a counter`)
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0)))
    throw new Error(`${name} is below 0`)
  if (type !== 'histogram') return
  const byLabels = new Map<string, Sample[]>()
  for (const sample of samples) {
    const { le: _, ...others } = sample.labels
    const key = keyOf('', others)
    byLabels.set(key, [...(byLabels.get(key) ?? []), sample])
  }
  for (const group of byLabels.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('+Inf', 'Infinity')))
    const counts = buckets.map(({ value }) => value)
    const [count, ...others] = group.filter((sample) => sample.name === `${name}_count`)
    const isOrdered = (values: number[]) =>
      values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0))
    if (bounds.at(-1) !== Infinity || !isOrdered(bounds) || !isOrdered(counts))
      throw new Error(`${name} has wrong buckets`)
    if (others.length > 0 || counts.at(-1) !== count?.value || group.length !== buckets.length + 2)
      throw new Error(`${name} is not complete`)
  }
}
