import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listenOn, urlOfListener } from '#server/http/listen.ts'
import { createWebApp } from '#server/pages/web-app.ts'
import { createHttpServer } from '#server/server.ts'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantDomain, plantLinks } from './plant.ts'
import { visit } from './visit.ts'

// The table of docs/domains.md, each cell of it asked.

const hosts = ['app.example', 'links.example', 'go.acme.example', 'stranger.example'] as const
const destination = (host: string) => `https://example.com/${host}`
const [root, missing] = ['https://acme.example/root', 'https://acme.example/missing']
const ids = '00000000-0000-4000-8000-000000000000'

let server: TestServer
let listener: Server
let url: string
let folder: string
beforeAll(async () => {
  server = await startTestServer({
    publicUrl: `https://${hosts[0]}`,
    linksUrl: `https://${hosts[1]}`,
    unknownHosts: 'refuse',
  })
  await plantLinks(server.sql, [{ code: 'menu', url: destination('own') }])
  await plantBio(server.sql, { columns: { slug: 'maya' } })
  const { id, owner } = await plantDomain(server.sql, hosts[2], {
    root_url: root,
    missing_url: missing,
  })
  await plantLinks(server.sql, [{ code: `${id}/menu`, url: destination(hosts[2]) }], owner)
  await server.sql(`
    begin; set local session_replication_role = replica;
    insert into app.names (name, kind, owner_id) values ('${id}/maya', 'bio', '${owner}');
    insert into app.bio_pages (user_id, slug, title) values ('${owner}', '${id}/maya', 'Maya'); commit`)
  await vi.waitFor(() => expect(server.context.hosts.knownPlaceAt(hosts[2])).toBeDefined(), 60_000)
  // A built app, as far as hosts differ in it.
  folder = await mkdtemp(join(tmpdir(), 'hoplet-hosts-'))
  await mkdir(join(folder, 'assets/looks'), { recursive: true })
  for (const file of ['index.html', 'robots.txt', 'assets/looks/x.woff2'])
    await writeFile(join(folder, file), file)
  listener = createHttpServer(server.context, createWebApp(server.context, folder))
  url = urlOfListener(await listenOn(listener, { host: '127.0.0.1', port: 0 }))
})
afterAll(async () => {
  await new Promise((resolve) => {
    listener.close(resolve)
    listener.closeAllConnections()
  })
  await server.close()
  await rm(folder, { recursive: true })
})

/** Targets of the paths in the table. */
const targets: Record<string, string> = {
  '/CODE': '/menu',
  '/CODE+': '/menu+',
  '/q/CODE': '/q/menu',
  '/q/CODE/MARK': '/q/menu/ab1',
  '/PAGE': '/maya',
  '/og/PAGE.png': '/og/maya.png',
  'codes that are not there': '/nothing',
  '/media/IMAGE': `/media/${ids}.png`,
  '/assets/looks/FONT': '/assets/looks/x.woff2',
  '/audience/join/POPUP': `/audience/join/${ids}`,
  '/analytics/shared/TOKEN': '/analytics/shared/x',
  '/audience/confirm/TOKEN': '/audience/confirm/x',
}

/** The word of the table for the answer of a host. */
async function answerAt(host: string, target: string, connection: string): Promise<string> {
  const { status, location, body } = await visit(url, target, { headers: { host, connection } })
  if (status === 421) return body.includes('There is nothing at this address') ? 'refused' : '421'
  const shown = `${location} ${body}`
  if (shown.includes(destination('own'))) return 'own links'
  if (shown.includes(destination(hosts[2]))) return 'its links'
  if (location === root) return 'its root'
  if (location === missing) return 'its missing page'
  if (location === `https://${hosts[0]}/`) return 'to the app'
  return location === '/404' || (status === 404 && body.includes('Page not found')) ? 'no' : 'yes'
}

const page = await readFile(new URL('../../docs/domains.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('## Paths of each host')
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Path'))
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
const cells = rows.flatMap(([paths = '', ...words]) => {
  const named = [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
  return (named.length > 0 ? named : [paths]).map((path) => ({ path, words }))
})

describe('the table of paths', () => {
  it('has each kind of path', () => {
    expect(cells.length).toBeGreaterThan(25)
    expect(cells.every(({ words }) => words.length === hosts.length)).toBe(true)
  })

  it.each(cells)('is right about $path', async ({ path, words }) => {
    const target = targets[path] ?? path
    for (const connection of ['keep-alive', 'close'])
      for (const [i, host] of hosts.entries()) {
        let said = words[i]
        // Pages say 404 by themselves.
        if (said === '404') said = 'no'
        // On a domain with a missing page, unserved paths lead there too.
        if (said === 'no' && host === hosts[2]) said = 'its missing page'
        if (path === '/404' && said === 'yes') said = 'no'
        expect([host, path, await answerAt(host, target, connection)]).toEqual([host, path, said])
      }
  })
})

describe('the Host of a request', () => {
  const send = (lines: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
        socket.write(`GET /menu HTTP/1.1\r\n${lines}User-Agent: Mozilla/5.0\r\n\r\n`),
      )
      socket.on('data', (chunk) => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1]))
        socket.destroy()
      })
      socket.on('error', reject)
    })

  it.each([
    ['as it is', `Host: ${hosts[2]}\r\n`, 302],
    ['in capitals', 'HOST: GO.ACME.EXAMPLE\r\n', 302],
    ['with a trailing dot', `Host: ${hosts[2]}.\r\n`, 302],
    ['with a port', `Host: ${hosts[2]}:8443\r\n`, 302],
    ['with both', `Host: ${hosts[2]}.:443\r\n`, 302],
    ['with blanks around it', `Host:  ${hosts[2]}  \r\n`, 302],
    ['twice', `Host: ${hosts[2]}\r\nHost: ${hosts[0]}\r\n`, 400],
    ['twice the same', `Host: ${hosts[2]}\r\nHost: ${hosts[2]}\r\n`, 400],
    ['empty', 'Host: \r\n', 421],
    ['missing', '', 400],
    ['with a path', `Host: ${hosts[2]}/menu\r\n`, 421],
    ['with a user', `Host: x@${hosts[2]}\r\n`, 421],
    ['with two dots', `Host: ${hosts[2]}..\r\n`, 421],
    ['with a port that is none', `Host: ${hosts[2]}:x\r\n`, 421],
    ['of 4 kB', `Host: ${'a.'.repeat(2_000)}${hosts[2]}\r\n`, 421],
    ['of a child', `Host: x.${hosts[2]}\r\n`, 421],
    ['of a parent', 'Host: acme.example\r\n', 421],
  ])('finds a domain, or nothing, when it is %s', async (_, lines, status) => {
    for (const connection of ['keep-alive', 'close'])
      expect(await send(`${lines}Connection: ${connection}\r\n`)).toBe(status)
  })
})
