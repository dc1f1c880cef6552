import yauzl from 'yauzl'
import { expect } from 'vitest'
import type { ShownArchive } from '#domain/transfer/archive-shapes.ts'
import type { TestUser } from '../factories.ts'
import type { TestServer } from '../server.ts'

/** Calls of the archives of one person. */
export function archivesOf(server: Pick<TestServer, 'url'>, user: Pick<TestUser, 'headers'>) {
  const ask = (path = '', init: RequestInit = {}) =>
    fetch(`${server.url}/functions/v1/archives${path}`, { ...init, headers: user.headers })
  const show = async (id: string) => (await (await ask(`/${id}`)).json()) as ShownArchive
  const start = async (): Promise<string> => {
    const response = await ask('', { method: 'POST' })
    expect(response.status, await response.clone().text()).toBe(201)
    return ((await response.json()) as { id: string }).id
  }
  const until = async (id: string, ...states: ShownArchive['state'][]) => {
    await expect
      .poll(async () => (await show(id)).state, { timeout: 60_000, interval: 50 })
      .toBeOneOf(states)
    return show(id)
  }
  const read = async (id: string): Promise<ReadArchive> => {
    const response = await ask(`/${id}/file`)
    expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200)
    return readZip(Buffer.from(await response.arrayBuffer()))
  }
  return {
    ask,
    show,
    start,
    until,
    read,
    /** Makes an archive, waits for it and reads its file. */
    async make(): Promise<ReadArchive> {
      const id = await start()
      expect(await until(id, 'done', 'failed')).toMatchObject({ state: 'done', notice: null })
      return read(id)
    },
  }
}

export type Row = Record<string, unknown>

export interface ReadArchive {
  names: string[]
  bytes(name: string): Buffer
  text(name: string): string
  json(name: string): Row
  /** The lines of a JSON Lines file. */
  rows(name: string): Row[]
}

/** Reads a zip as strictly as yauzl does. */
export async function readZip(file: Buffer): Promise<ReadArchive> {
  const files = new Map<string, Buffer>()
  const zip = await yauzl.fromBufferPromise(file, { strictFileNames: true, lazyEntries: true })
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
    files.set(entry.fileName, Buffer.concat(chunks))
  }
  const bytes = (name: string) => {
    const found = files.get(name)
    if (!found) throw new Error(`the archive has no ${name}`)
    return found
  }
  const text = (name: string) => bytes(name).toString()
  return {
    names: [...files.keys()],
    bytes,
    text,
    json: (name) => JSON.parse(text(name)) as Row,
    rows: (name) =>
      text(name)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row),
  }
}
