import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type App, askFor, makeApp, pkcePair } from './oauth-app.ts'
import { request } from '../requests.ts'

let server: TestServer
let user: TestUser
let app: App
beforeAll(async () => {
  const { auth } = createConfig(
    parseVariables({ AUTH_REDIRECT_URLS: 'https://shop.example/signed-in/**' }),
  )
  server = await startTestServer({ auth })
  user = await makeUser(server)
  app = await makeApp(server)
})
afterAll(() => server.close())

const asPage = (path: string, origin: string | undefined, body?: object) =>
  request(server, path, {
    token: user.accessToken,
    ...(body && { body }),
    headers: origin === undefined ? {} : { origin },
  })
const ownOrigin = () => new URL(server.url).origin

it.each<[string, () => string | undefined]>([
  ['a program, which has no origin', () => undefined],
  ['a page of this server', ownOrigin],
  ['a page of an origin that sign-ins may lead to', () => 'https://shop.example'],
])('the OAuth server lets %s read an app’s request, and answer it', async (_, origin) => {
  const id = await askFor(server, app, pkcePair(), { prompt: 'consent' })
  const read = await asPage(`/oauth/authorizations/${id}`, origin())
  expect([read.status, read.body['authorization_id']]).toEqual([200, id])
  const decided = await asPage(`/oauth/authorizations/${id}/consent`, origin(), { action: 'deny' })
  expect(decided.status).toBe(200)
})

it.each<[string, () => string]>([
  ['another site', () => 'https://evil.example'],
  ['no site', () => 'null'],
  ['another scheme', () => 'http://shop.example'],
  ['another port', () => 'https://shop.example:8443'],
  ['a longer name', () => 'https://shop.example.evil.example'],
  ['this server by another scheme', () => ownOrigin().replace('http:', 'https:')],
])('the OAuth server refuses a page of %s', async (_, origin) => {
  const id = await askFor(server, app, pkcePair(), { prompt: 'consent' })
  for (const answer of [
    await asPage(`/oauth/authorizations/${id}`, origin()),
    await asPage(`/oauth/authorizations/${id}/consent`, origin(), { action: 'approve' }),
    await asPage(`/oauth/authorizations/${id}/release`, origin(), {}),
  ])
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  // It was not claimed by the attempt.
  const [row] = await server.sql('select user_id from auth.oauth_authorizations where id = $1', [
    id,
  ])
  expect(row).toEqual({ user_id: null })
})
