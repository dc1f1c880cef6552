import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { allow } from '#test/auth/oauth/oauth-app.ts'
import { allTools } from '#server/mcp/tools/all.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'

let server: TestServer
let person: TestUser
beforeAll(async () => {
  server = await sharedServer()
  person = await makeUser(server)
})
/** A person's steps at the address that the program prints: sign in, allow, and follow the way back. */
async function open(address: string): Promise<void> {
  const response = await fetch(address, { redirect: 'manual' })
  const consent = new URL(response.headers.get('location') ?? '')
  const back = await allow(server, person, consent.searchParams.get('authorization_id') ?? '')
  await fetch(back)
}

it('the program of docs/mcp.md connects and makes a link', async () => {
  const text = await readFile('docs/mcp.md', 'utf8')
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? []
  // Beside node_modules, where a reader's program has them too.
  const path = `mcp-example-${process.pid}.tmp.mjs`
  await writeFile(path, code)
  try {
    const env = { ...process.env, HOPLET_URL: server.url }
    const program = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    let opened: Promise<void> | undefined
    program.stdout.on('data', (part: Buffer) => {
      printed += String(part)
      const [, address] = /^Open (\S+)\n/.exec(printed) ?? []
      if (address !== undefined) opened ??= open(address)
    })
    const status = await new Promise((done) => program.once('close', done))
    await opened
    expect(status).toBe(0)
    const [, shortUrl = ''] = printed.trim().split('\n')
    const visit = await fetch(shortUrl, { redirect: 'manual' })
    expect(visit.headers.get('location')).toBe('https://example.com/spring?utm_source=agent')
  } finally {
    await rm(path)
  }
})

it('the document names every tool with its permissions', async () => {
  const text = await readFile('docs/mcp.md', 'utf8')
  for (const { name, scopes } of allTools) {
    const row = text
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(`\`${name}\``))
    expect([name, row]).toEqual([name, expect.stringContaining(`\`${scopes.join(' ')}\``)])
  }
})
