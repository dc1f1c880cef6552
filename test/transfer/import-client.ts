import { expect } from 'vitest'
import type { ShownImport, ShownRow } from '#domain/transfer/import-shapes.ts'
import type { TestUser } from '../factories.ts'
import type { TestServer } from '../server.ts'

/** Calls of the imports of one person. */
export function importsOf(server: Pick<TestServer, 'url'>, user: Pick<TestUser, 'headers'>) {
  const address = `${server.url}/functions/v1/imports`
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${address}${path}`, {
      ...init,
      headers: { ...user.headers, ...(init.headers as Record<string, string> | undefined) },
    })
  const json = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const show = async (id: string) => (await (await ask(`/${id}`)).json()) as ShownImport
  const until = async (id: string, ...states: ShownImport['state'][]) => {
    await expect
      .poll(async () => (await show(id)).state, { timeout: 30_000, interval: 50 })
      .toBeOneOf(states)
    return show(id)
  }
  const sendFile = (content: BlobPart, name: string) => {
    const form = new FormData()
    form.set('file', new Blob([content]), name)
    return ask('', { method: 'POST', body: form })
  }
  const idOf = async (response: Response): Promise<string> => {
    expect(response.status, await response.clone().text()).toBe(201)
    return ((await response.json()) as { id: string }).id
  }
  return {
    ask,
    json,
    show,
    until,
    sendFile,
    /** Sends a file, and waits for the dry run. */
    async check(content: BlobPart, name = 'links.csv'): Promise<ShownImport> {
      return until(await idOf(await sendFile(content, name)), 'ready', 'failed')
    },
    async checkRows(rows: object[]): Promise<ShownImport> {
      return until(await idOf(await ask('', json({ rows }))), 'ready', 'failed')
    },
    async rows(id: string, query = ''): Promise<ShownRow[]> {
      const response = await ask(`/${id}/rows?${query}`)
      return ((await response.json()) as { rows: ShownRow[] }).rows
    },
    confirm: (id: string, choices: object = {}) => ask(`/${id}/confirm`, json(choices)),
    act: (id: string, act: 'pause' | 'resume' | 'undo') => ask(`/${id}/${act}`, { method: 'POST' }),
    /** Confirms, and waits for the end. */
    async run(id: string, choices: object = {}): Promise<ShownImport> {
      const response = await ask(`/${id}/confirm`, json(choices))
      expect(response.status, await response.clone().text()).toBe(200)
      return until(id, 'done', 'waiting', 'failed')
    },
  }
}
