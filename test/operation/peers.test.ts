import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { disagreementsWith, type Peer } from '#server/peers/disagreements.ts'
import { startHoplet } from '#server/start.ts'
import { recordLog } from '../record-log.ts'
import { startTestServer, type TestServer } from '../server.ts'

const peer: Peer = {
  host: 'a',
  version: '1.0.0',
  keyId: 'k1',
  publicUrl: 'https://hop.example',
  linksUrl: 'https://hop.example',
  clockAheadMs: 0,
}

describe('servers compared', () => {
  it.each<[string, Partial<Peer>, string[]]>([
    ['the same', {}, []],
    ['another key', { keyId: 'k2' }, ['keys']],
    ['another address', { publicUrl: 'https://hop2.example' }, ['address']],
    ['another address of links', { linksUrl: 'https://go.example' }, ['links']],
    ['another version', { version: '1.1.0' }, ['version']],
    ['a clock that is 5 s ahead', { clockAheadMs: 5_000 }, []],
    ['a clock that is more than 5 s behind', { clockAheadMs: -5_001 }, ['clock']],
    ['an unknown clock', { clockAheadMs: null }, []],
    ['all at once', { keyId: 'k2', version: '2.0.0' }, ['keys', 'version']],
  ])('%s', (_, other, found) => {
    const theirs = { ...peer, host: 'b', ...other }
    expect(disagreementsWith(peer, [peer, theirs]).map(({ about }) => about)).toEqual(found)
    expect(disagreementsWith(theirs, [peer]).map(({ about }) => about)).toEqual(found)
  })
})

describe('two servers of one database', () => {
  let first: TestServer
  beforeAll(async () => {
    first = await startTestServer()
  })
  afterAll(() => first.close())

  it('say that their keys and addresses differ, once, until one of them ends', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-peer-'))
    const { log, lines } = recordLog()
    const second = await startHoplet(
      createConfig(
        parseVariables({
          PORT: '0',
          DATA_DIR: dataDir,
          DATABASE_URL: first.databaseUrl,
          PUBLIC_URL: 'https://elsewhere.example',
        }),
      ),
      log,
    )
    const said = () =>
      lines
        .filter(({ msg }) => msg === 'two servers of this database disagree')
        .map((l) => l['about'])
    await first.context.peers.run()
    await second.context.peers.run()
    await second.context.peers.run()
    expect(said().map(String).toSorted()).toEqual(['address', 'keys'])
    await first.context.peers.run()
    const { servers, disagreements } = first.context.peers.measures()
    expect(servers).toBe(2)
    expect(disagreements.filter(({ count }) => count > 0).map(({ about }) => about)).toEqual([
      'keys',
      'address',
    ])

    await second.stop()
    await rm(dataDir, { recursive: true, force: true })
    await first.context.peers.run()
    expect(first.context.peers.measures().servers).toBe(1)
    expect(first.context.peers.measures().disagreements.every(({ count }) => count === 0)).toBe(
      true,
    )
  })
})
