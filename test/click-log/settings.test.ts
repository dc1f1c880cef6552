import { expect, it, describe } from 'vitest'
import { ConfigurationError, parseVariables } from '#server/env.ts'
import { createConfig } from '#server/config.ts'
import { checkClickStream } from '#server/visits/stream/start-check.ts'
import { recordLog } from '#test/record-log.ts'
import { hasNatsServer, startNatsCluster } from './nats-cluster.ts'
import { streamSettings } from './open-log.ts'

function problemsOf(environment: Record<string, string>): string[] {
  try {
    createConfig(parseVariables(environment))
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}

describe('CLICK_LOG in the environment', () => {
  it('takes addresses with a login, and has defaults', () => {
    const CLICK_LOG = 'nats://me:p%40ss@one:4222,nats://two'
    expect(createConfig(parseVariables({ CLICK_LOG })).clicks.stream).toMatchObject({
      servers: ['one:4222', 'two:4222'],
      user: 'me',
      password: 'p@ss',
      stream: 'HOPLET_CLICKS',
      replicas: 3,
    })
    expect(createConfig(parseVariables({ CLICK_LOG: 'journal' })).clicks.stream).toBeUndefined()
  })

  it('takes the scheme of the first server for those without one', () => {
    const CLICK_LOG = 'tls://me:p@nats-1:4222,nats-2, 10.0.0.3:4333'
    expect(createConfig(parseVariables({ CLICK_LOG })).clicks.stream).toMatchObject({
      servers: ['nats-1:4222', 'nats-2:4222', '10.0.0.3:4333'],
      tls: true,
      user: 'me',
    })
  })

  it('lists every contradiction at once', () => {
    const more = {
      CLICK_LOG_STREAM: 'X',
      CLICK_LOG_REPLICAS: '3',
      CLICK_LOG_CA: '/ca',
      CLICK_LOG_CERTIFICATE: '/own',
    }
    expect(problemsOf(more)).toHaveLength(4)
    expect(
      problemsOf({
        CLICK_LOG: 'nats://user:secret@one',
        CLICK_MODE: 'sync',
        CLICK_LOG_CREDENTIALS: '/x.creds',
        CLICK_LOG_CA: '/ca.pem',
        CLICK_LOG_CERTIFICATE: '/own.pem',
        CLICK_LOG_STREAM: 'a b',
        CLICK_LOG_REPLICAS: '9',
      }).map((problem) => problem.split(':')[0]),
    ).toEqual(
      expect.arrayContaining([
        'CLICK_MODE',
        'CLICK_LOG_CREDENTIALS',
        'CLICK_LOG_CA',
        'CLICK_LOG_CERTIFICATE',
        'CLICK_LOG_STREAM',
        'CLICK_LOG_REPLICAS',
      ]),
    )
  })

  it.each([
    'kafka://x',
    'nats://',
    'nats://a,tls://b',
    'nats://a,',
    'a,nats://b',
    'nats://a/path',
    'nats://u:secret@a,nats://v:secret@b',
    'nats://:secret@a',
    'nats://u:secret%@a',
  ])('refuses %s without its secrets', (CLICK_LOG) => {
    const problems = problemsOf({ CLICK_LOG })
    expect(problems).toEqual([expect.stringMatching(/^CLICK_LOG: must /)])
    expect(problems.join()).not.toContain('secret')
  })
})

describe.skipIf(!hasNatsServer)('the check at the start', () => {
  it('stops the start for a setting that a person has to change, and creates a missing stream', async () => {
    const { log, messages } = recordLog()
    const cluster = await startNatsCluster({
      servers: 1,
      login: 'me:secret@',
      settings: 'authorization { user: me, password: secret }',
    })
    try {
      expect(await checkClickStream(streamSettings(cluster.url, 'NEW'), log)).toEqual([])
      expect(await checkClickStream(streamSettings(cluster.url, 'NEW'), log)).toEqual([])
      const wrong = streamSettings(cluster.url.replace('secret', 'guess'), 'NEW')
      expect(await checkClickStream(wrong, log)).toEqual([
        expect.stringMatching(/^CLICK_LOG: .*refuses/),
      ])
      const three = streamSettings(cluster.url, 'THREE', 3)
      expect(await checkClickStream(three, log)).toEqual([
        expect.stringMatching(/^CLICK_LOG_REPLICAS: .*too few servers/),
      ])
      await cluster.manage((manager) =>
        manager.streams.add({
          name: 'POOR',
          subjects: ['POOR.clicks'],
          max_age: 3_600_000_000_000,
          discard: 'old',
          allow_direct: true,
        }),
      )
      expect(await checkClickStream(streamSettings(cluster.url, 'POOR', 3), log)).toEqual([
        expect.stringMatching(/^CLICK_LOG_REPLICAS: /),
        expect.stringMatching(/discards old messages/),
        expect.stringMatching(/keeps messages for 1 hours/),
      ])
    } finally {
      await cluster.stop()
    }
    // Unreachable is not wrong: the journal takes over.
    expect(await checkClickStream(streamSettings(cluster.url, 'NEW'), log)).toEqual([])
    expect(messages().join()).toContain('the journal takes the clicks')
    expect(JSON.stringify(messages())).not.toContain('secret')
  })

  it('names JetStream that is off', async () => {
    const cluster = await startNatsCluster({ servers: 1, jetstream: false })
    try {
      const problems = await checkClickStream(streamSettings(cluster.url, 'X'), recordLog().log)
      expect(problems).toEqual([expect.stringContaining('JetStream is not enabled')])
    } finally {
      await cluster.stop()
    }
  })
})
