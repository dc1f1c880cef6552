import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { apiKeyScopes } from '#domain/access/api-keys.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

/** Each example of docs/api.md, in its order, as it is written. */

interface Example {
  language: string
  code: string
  /** Its output looks like that: the same keys. */
  answer: unknown
}

const run = promisify(execFile)
let server: TestServer
let env: Record<string, string>
beforeAll(async () => {
  server = await sharedServer()
  const ann = await makeAccount(server, { plan: 'business' })
  env = {
    PATH: process.env.PATH ?? '',
    HOPLET_URL: server.url,
    HOPLET_TOKEN: await makeApiKey(ann),
  }
})
async function makeApiKey({ headers }: Account): Promise<string> {
  const response = await fetch(`${server.url}/auth/v1/user/api-keys`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Examples', scopes: apiKeyScopes, expires_in_days: 1 }),
  })
  const { key } = (await response.json()) as { key: string }
  return key
}

async function examples(): Promise<Example[]> {
  const text = await readFile('docs/api.md', 'utf8')
  const found: Example[] = []
  for (const [, language = '', code = ''] of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    if (language !== 'json') found.push({ language, code, answer: undefined })
    else Object.assign(found.at(-1) ?? {}, { answer: JSON.parse(code) as unknown })
  }
  return found
}

async function print({ language, code }: Example): Promise<string> {
  if (language === 'sh') return (await run('sh', ['-ec', code], { env })).stdout
  // Beside node_modules, where a reader's program has them too.
  const path = `example-${process.pid}.tmp.mjs`
  await writeFile(path, code)
  try {
    return (await run(process.execPath, [path], { env })).stdout
  } finally {
    await rm(path)
  }
}

/** The keys of a value, at any depth, and of lists the keys of each row. */
function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysOf)
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, keysOf(each)]))
}

it.runIf(findProgram('curl'))('runs, and answers as the document says', async () => {
  const all = await examples()
  expect(all.length).toBeGreaterThan(7)
  expect(new Set(all.map(({ language }) => language))).toEqual(new Set(['sh', 'js']))
  for (const example of all) {
    const printed = await print(example)
    if (example.answer === undefined) continue
    const answer = JSON.parse(printed) as unknown
    expect({ code: example.code, keys: keysOf(answer) }).toEqual({
      code: example.code,
      keys: keysOf(example.answer),
    })
  }
})

it('each hint of a conflict in the document is one that the server sends', async () => {
  const document = await readFile('docs/api.md', 'utf8')
  const [, named = ''] = /^\| 409 \|.*with a hint: (.*)\|$/m.exec(document) ?? []
  const hints = [...named.matchAll(/`(\w+)`/g)].map(([, hint = '']) => hint)
  const sources = [
    ...(await readdir('database/code')).map((name) => `database/code/${name}`),
    'server/tables/errors.ts',
    'server/tables/problems.json',
  ]
  const sent = (await Promise.all(sources.map((name) => readFile(name, 'utf8')))).join('\n')
  const isSent = (hint: string) => new RegExp(`hint"?(:| =) ['"]${hint}['"]`).test(sent)
  expect(hints.filter((hint) => !isSent(hint))).toEqual([])
  expect([hints.length > 2, isSent('planted')]).toEqual([true, false])
})
