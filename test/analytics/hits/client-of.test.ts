import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientOf } from '#server/analytics/hits/client-of.ts'
import { browserOf } from '#server/visits/visitor/browsers.ts'
import { createVisitorReader, type ReadVisitor } from '#server/visits/visitor/visitor.ts'

const tableFile = new URL('corpus.txt', import.meta.url)
const table = readFileSync(tableFile, 'utf8')
const columnWidths = [9, 7, 19, 11, 23]

const readVisitor = createVisitorReader({
  trustedProxies: 0,
  countryHeader: undefined,
  identify: (_, userAgent) => ({
    browser: browserOf(userAgent),
    identity: { hash: new Uint8Array(8), place: new Uint8Array() },
  }),
})

/** The table again, with the answers of this reader and `clientOf` to its requests. */
function judge(read: ReadVisitor): string {
  const judged = table
    .split('\n')
    .map((line) => (/^(?:#|$)/.test(line) ? line : judgeLine(line, read)))
  return judged.join('\n')
}

function judgeLine(line: string, read: ReadVisitor): string {
  const [request = '', hint = '', userAgent = ''] =
    /(?<=^(?:[^|]*\|){5} )([^|]*?) +\| (.*)$/.exec(line) ?? []
  const [name = '', value = ''] = hint.split(': ')
  const visitor = read({
    method: value === '' ? name : 'GET',
    rawHeaders: [
      ...(value === '' ? [] : [name, value]),
      ...(userAgent === '(none)' ? [] : ['User-Agent', userAgent]),
    ],
    socket: {},
  })
  const client = clientOf(storedUserAgent(visitor), visitor.verdict, '')
  const columns = [client.verdict, client.device, client.browser, client.system, client.bot]
  return [...columns.map((text, i) => text.padEnd(columnWidths[i] ?? 0)), request].join(' | ')
}

function storedUserAgent({ browser }: ReturnType<ReadVisitor>): string {
  return Buffer.from(browser.userAgent).toString('latin1')
}

/** How many lines of the table are different with this reader. */
function differences(read: ReadVisitor): number {
  const right = judge(readVisitor).split('\n')
  return judge(read)
    .split('\n')
    .filter((line, i) => line !== right[i]).length
}

function countLines(pattern: RegExp): number {
  return table.split('\n').filter((line) => pattern.test(line)).length
}

describe('clientOf', () => {
  it('names real clients as the table has them', async () => {
    await expect(judge(readVisitor)).toMatchFileSnapshot(tableFile.pathname)
  })

  it('has a table that notices a wrong verdict', () => {
    expect(differences((request) => readVisitor({ ...request, method: 'GET' }))).toBe(
      // Those without a User-Agent, or of a browser, are different, too: they count.
      countLines(/^head /),
    )
    expect(
      differences((request) =>
        readVisitor({ ...request, rawHeaders: request.rawHeaders.slice(-2) }),
      ),
    ).toBe(countLines(/^prefetch /))
    expect(
      differences((request) => {
        const visitor = readVisitor(request)
        return visitor.verdict === 'bot' ? { ...visitor, verdict: 'counted' } : visitor
      }),
    ).toBe(countLines(/^(?:previewer|crawler|monitor|program) /))
  })

  it('has a table of every kind', () => {
    expect(countLines(/^counted .*\| GET .*\| Mozilla/)).toBeGreaterThanOrEqual(60)
    expect(countLines(/^previewer /)).toBeGreaterThanOrEqual(40)
    expect(countLines(/^crawler /)).toBeGreaterThanOrEqual(40)
    expect(countLines(/^monitor /)).toBeGreaterThanOrEqual(20)
    expect(countLines(/^program /)).toBeGreaterThanOrEqual(20)
    expect(countLines(/^prefetch /)).toBeGreaterThanOrEqual(5)
  })

  it('has a plain name for every bot of the list', () => {
    const path = createRequire(import.meta.url).resolve('crawler-user-agents')
    const list = JSON.parse(readFileSync(path, 'utf8')) as { instances: string[] }[]
    const names = new Set(
      list.flatMap(({ instances }) => instances).map((text) => clientOf(text, 'bot', '').bot),
    )
    expect(names.size).toBeGreaterThan(1_300)
    expect([...names].filter((name) => !/^\w[ -~]{0,38}[\w!)]$/.test(name))).toEqual([])
    expect(names).not.toContain('Other')
  })

  it('keeps invented User-Agents out of the names', () => {
    const madeUp = fc.stringMatching(/^[A-Z][a-z]{8}$/)
    const shape = fc.constantFrom(
      (word: string) => `${word}Bot/1.0 (+https://${word}.example/bot)`,
      (word: string) => `Mozilla/5.0 (compatible; ${word}/2.0; Googlebot ${word})`,
      (word: string) => `${word}/1.0`,
      (word: string) => `${word} ${word} (${word})`,
      (word: string) => `Mozilla/5.0 (${word}; ${word} 10) ${word}Kit/1 ${word}/9 Safari/1`,
    )
    const verdict = fc.constantFrom('counted', 'head', 'prefetch', 'bot')
    fc.assert(
      fc.property(madeUp, shape, verdict, (word, userAgentOf, given) => {
        const client = clientOf(userAgentOf(word), given, word)
        expect(JSON.stringify(client).toLowerCase()).not.toContain(word.toLowerCase())
      }),
    )
  })

  it('takes any text, and every text that it gives is short', () => {
    const verdict = fc.constantFrom('counted', 'head', 'prefetch', 'bot')
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), verdict, (text, given) => {
        const client = clientOf(text, given, text)
        return (
          (given === 'bot' || client.verdict === given) &&
          Object.values(client).every((value) => /^[ -~]{0,40}$/.test(value))
        )
      }),
    )
  })

  it('gives one object for all clients that are alike', () => {
    const userAgent = (version: number) =>
      `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`
    expect(clientOf(userAgent(130), 'counted', 'de')).toBe(
      clientOf(userAgent(140), 'counted', 'de-AT,de;q=0.9'),
    )
    expect(clientOf(userAgent(130), 'counted', 'de')).not.toBe(
      clientOf(userAgent(130), 'prefetch', 'de'),
    )
  })

  it.each([
    ['de', 'de'],
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['EN-us', 'en'],
    [' fr ; q=1', 'fr'],
    ['es_MX', 'es'],
    ['fil-PH', 'fil'],
    ['gsw', 'gsw'],
    ['deu', 'de'],
    ['iw', 'he'],
    ['*', ''],
    ['', ''],
    ['xx', ''],
    ['und', ''],
    ['mul', ''],
    ['english', ''],
    ['q9-Q9', ''],
    ['d', ''],
    [',de', ''],
  ])('reads %j as the language %j', (header, language) => {
    expect(clientOf('', 'counted', header).language).toBe(language)
  })
})
