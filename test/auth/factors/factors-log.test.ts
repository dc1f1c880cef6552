import { Writable } from 'node:stream'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { request } from '../requests.ts'
import { codeOf, makeEnrolled, stepUp, wrongCode } from './second-factor.ts'

let server: TestServer
let written = ''
beforeAll(async () => {
  server = await sharedServer()
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  server.context.log = pino({ level: 'trace' }, sink)
})
it('the server logs changes of factors, without secrets or codes', async () => {
  const { aal1, aal2, factorId, secret } = await makeEnrolled(server)
  const [wrong, right] = [await wrongCode(secret), await codeOf(secret)]
  await stepUp(server, aal1, factorId, wrong)
  await stepUp(server, aal1, factorId, right)
  await request(server, `/factors/${factorId}`, { method: 'DELETE', token: aal2 })
  const lines = written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ security }) => security !== undefined)
  expect(lines.map(({ security }) => security)).toEqual([
    'sign-in',
    'factor begun',
    'factor added',
    'second factor shown',
    'sign-in',
    'second factor failed',
    'second factor shown',
    'factor removed',
  ])
  for (const line of lines.filter(({ security }) => /factor/.test(String(security)))) {
    expect(line).toMatchObject({ factor_id: factorId, type: 'totp', address: '127.0.0.1' })
  }
  expect(written).not.toContain(secret)
  for (const code of [wrong, right]) expect(written).not.toMatch(new RegExp(`\\b${code}\\b`))
})
