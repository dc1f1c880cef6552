/** @module-tag extended */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNatsServer, type NatsCluster, startNatsCluster } from '#test/click-log/nats-cluster.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { clickRecords } from '#test/visits/hits.ts'
import { countOf, plantLinks } from '#test/visits/plant.ts'
import { startBuilt } from '#test/visits/built.ts'
import { visit } from '#test/visits/visit.ts'

/** The last commit of release 1.0. */
const former = '7be6397e250a77026107ae6129b8fda08ec44559'
const isInHistory = spawnSync('git', ['cat-file', '-e', `${former}^{commit}`]).status === 0

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})
const newFolder = () => mkdtemp(join(tmpdir(), 'hoplet-former-'))

/** Builds release 1.0 with the installed packages, and returns its entry. */
async function buildFormer(folder: string): Promise<string> {
  const run = (command: string, args: string[], cwd = folder) => {
    const env = { ...process.env, NODE_ENV: 'production' }
    const { status, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  const archive = join(folder, 'former.tar')
  run('git', ['archive', '--output', archive, former], process.cwd())
  run('tar', ['-xf', archive])
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  const vite = join('node_modules', 'vite', 'bin', 'vite.js')
  for (const flags of [[], ['--ssr']])
    run(process.execPath, [vite, 'build', '--logLevel', 'warn', ...flags])
  return join(folder, 'dist/server/main.js')
}

describe.runIf(isInHistory && hasNatsServer)('a server of release 1.0 beside this one', () => {
  let folder: string
  let formerEntry: string
  let cluster: NatsCluster
  beforeAll(async () => {
    folder = await newFolder()
    formerEntry = await buildFormer(folder)
    cluster = await startNatsCluster({ servers: 1 })
  })
  afterAll(async () => {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function setUp(environment: Record<string, string>) {
    const database = await createTestDatabase({ empty: true })
    cleanups.push(() => database.drop())
    const start = async (
      dataDir: string,
      { entry, ...more }: { entry?: string; CLICK_RECORDS?: string } = {},
    ) => {
      const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'info' }
      const server = await startBuilt({ ...settings, ...environment, ...more }, entry)
      cleanups.push(() => server.end('SIGTERM'))
      return server
    }
    const folders = [await newFolder(), await newFolder()] as const
    cleanups.push(...folders.map((each) => () => rm(each, { recursive: true, force: true })))
    return { database, start, folders }
  }

  async function plantRuledLink({ sql }: TestDatabase) {
    const [link] = await plantLinks(sql, [{ code: 'both', url: 'https://example.com/' }])
    if (!link) throw new Error('nothing planted')
    const rules = [
      {
        id: 'mail',
        when: [{ fact: 'query', name: 'ref', is: ['=mail'] }],
        to: 'https://example.com/m',
      },
    ]
    await sql('insert into app.link_rules (link_id, rules) values ($1, $2)', [
      link.id,
      JSON.stringify(rules),
    ])
    await sql('update app.shortened_urls set rules_version = 1 where id = $1', [link.id])
    return link
  }

  it.each([
    { name: 'in a journal', settings: () => ({ CLICK_MODE: 'journal' }) },
    {
      name: 'in a stream',
      settings: () => ({ CLICK_LOG: cluster.url, CLICK_LOG_REPLICAS: '1' }),
    },
  ])('counts all clicks with it, through an upgrade and back, $name', async ({ settings }) => {
    const { database, start, folders } = await setUp(settings())
    const [one, other] = folders
    let sent = 0
    const open = async ({ url }: { url: string }) => {
      for (let i = 0; i < 5; i++) {
        const answer = await visit(url, `/both?ref=mail&utm_term=term&n=${'x'.repeat(450)}`)
        expect(answer.status).toBe(302)
        sent++
      }
    }
    const recorded = async () => {
      const [row] = await database.sql<{ n: number; hits: number }>(
        `select count(*)::int as n, (select count(*)::int from app.click_events) as hits from app.click_events e
          join app.click_origins o on o.id = e.origin where o.rule = 'mail' and o.utm_term = 'term'`,
      )
      return row
    }
    const expectAll = () =>
      expect.poll(recorded, { timeout: 60_000 }).toEqual({ n: sent, hits: sent })
    const newVersion = '"msg":"clicks are recorded in another version"'

    const old = await start(one, { entry: formerEntry })
    const link = await plantRuledLink(database)
    await open(old)
    const upgraded = await start(other)
    await Promise.all([open(old), open(upgraded)])
    await expectAll()
    expect(upgraded.log()).not.toContain(newVersion)

    await old.end('SIGTERM')
    await open(upgraded)
    await expect.poll(upgraded.log, { timeout: 60_000 }).toContain(newVersion)
    await open(upgraded)
    await expectAll()
    await upgraded.end('SIGTERM')

    const onItsWay = await start(other, { CLICK_RECORDS: '2' })
    await open(onItsWay)
    await expectAll()
    await onItsWay.end('SIGTERM')
    // Control: release 1.0 skips a click of version 3.
    await mkdir(join(other, 'journal'), { recursive: true })
    await writeFile(join(other, 'journal', `${randomUUID()}.log`), clickRecords(link.id, 1))
    const back = await start(other, { entry: formerEntry })
    await expect.poll(back.log, { timeout: 60_000 }).toContain('damaged click records were skipped')
    await open(back)
    await expectAll()
    // Its visitors are one, so the first click counts and the others are repeats: all have moved the counter.
    expect(await countOf(database.sql, link.id)).toBe(sent)
  })
})
