import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appRoutePaths } from '#domain/routes.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { visit } from '#test/visits/visit.ts'
import { plantBio, plantPopupLink } from './plant.ts'

let database: TestDatabase
let server: BuiltServer
let dataDir: string
beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'hoplet-framing-'))
  server = await startBuilt({ DATABASE_URL: database.url, DATA_DIR: dataDir })
})
afterAll(async () => {
  await server.end('SIGTERM')
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

it('no answer of any address can be framed, and each has an id', async () => {
  const bio = await plantBio(database.sql, { links: [['Shop', 'https://example.com/']] })
  const popup = await plantPopupLink(database.sql, { cta_url: 'https://example.com/' })
  const ways = ['', '/', '?x=1', '/nowhere', '.php', '%00']
  const pages = [
    ...appRoutePaths,
    '/404',
    '/demo',
    '/report',
    '/report/sent',
    `/${bio.slug}`,
    `/${popup.code}`,
    '/no-such-code',
    '/health/live',
    '/og/nothing.png',
    '/media/nothing',
    '/rest/v1/nothing',
    '/auth/v1/nothing',
    '/functions/v1/nothing',
    '/favicon.svg',
  ]
  const kinds = { page: 0, other: 0 }
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    for (const target of pages.flatMap((page) => ways.map((way) => page + way))) {
      const { status, header, body } = await visit(server.url, target, { method })
      const isPage = header('content-type')?.startsWith('text/html') ?? false
      kinds[isPage ? 'page' : 'other']++
      const policy = header('content-security-policy') ?? ''
      expect([method, target, status, policy]).toEqual([
        method,
        target,
        status,
        expect.stringContaining("frame-ancestors 'none'"),
      ])
      expect(policy).not.toMatch(/script-src[^;]*unsafe/)
      expect([target, header('x-request-id')]).toEqual([
        target,
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ])
      if (isPage) {
        expect([target, header('x-frame-options')]).toEqual([target, 'DENY'])
        expect([target, header('permissions-policy')]).toEqual([
          target,
          expect.stringContaining('camera=()'),
        ])
      }
      for (const [tag] of body.matchAll(/<(?:a|form) [^>]*target="_blank"[^>]*>/g))
        expect(tag).toContain('rel="noopener noreferrer"')
    }
  }
  expect(kinds.page).toBeGreaterThan(60)
  expect(kinds.other).toBeGreaterThan(60)
})
