import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** What the server answers to these bytes, and nothing else on the connection. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')))
  })
}

const host = 'Host: hop.example\r\n'

it.each([
  [400, 'GARBAGE\r\n\r\n'],
  [400, `GET /x HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`],
  [400, 'GET /dashboard HTTP/1.1\r\nHost: "><x\r\nConnection: close\r\n\r\n'],
  [414, `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${host}\r\n`],
  [431, `GET /dashboard HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  [405, `POST /some-code HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`],
])('answers %i with a request id to %j', async (status, bytes) => {
  const answer = await exchange(bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/i)
  expect(answer).not.toContain('hop.example')
})
