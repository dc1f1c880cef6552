import { beforeAll, it } from 'vitest'
import { appCallback, inOrder, pkcePair, visitAuthorize } from './auth/oauth/oauth-app.ts'
import { codeOf } from './auth/factors/second-factor.ts'
import { ask, callBy, describeFor } from './description.ts'
import { makeUser, type TestUser } from './factories.ts'
import { sharedServer, type TestServer } from './server.ts'

let server: TestServer
let ann: TestUser
let admin: TestUser
let operatorKey: Record<string, string>
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeUser(server)
  admin = await makeUser(server, { role: 'admin' })
  operatorKey = { authorization: `Bearer ${server.serviceRoleKey}` }
})

const text = (value: unknown) => String(value)

it('the description of auth matches its answers to people', async () => {
  const document = await describeFor(server, 'auth')
  const visitor = callBy(server, document, 'auth', { apikey: server.anonKey })
  const email = `described-${crypto.randomUUID()}@example.com`
  const credentials = { email, password: 'correct horse 42' }
  await visitor('GET /settings', '/settings')
  await visitor('GET /health', '/health')
  await visitor('GET /.well-known/jwks.json', '/.well-known/jwks.json')
  await visitor('POST /signup', '/signup', credentials)
  await visitor('POST /recover', '/recover', { email })
  const grant = '/token?grant_type='
  const session = await visitor('POST /token', `${grant}password`, credentials)
  const next = { refresh_token: text(session['refresh_token']) }
  await visitor('POST /token', `${grant}refresh_token`, next)

  const headers = { authorization: `Bearer ${text(session['access_token'])}` }
  const person = callBy(server, document, 'auth', headers)
  await person('GET /user', '/user')
  await person('PUT /user', '/user', { data: { display_name: 'Ann' } })
  await person('GET /user/sessions', '/user/sessions')
  const key = { name: 'Script', scopes: ['links:read'], expires_in_days: null }
  const made = await person('POST /user/api-keys', '/user/api-keys', key)
  await person('GET /user/api-keys', '/user/api-keys')
  await person('DELETE /user/api-keys/{id}', `/user/api-keys/${text(made['id'])}`)
  await person('GET /user/events', '/user/events')
  await person('GET /user/export', '/user/export')

  const factor = await person('POST /factors', '/factors', { factor_type: 'totp' })
  const at = `/factors/${text(factor['id'])}`
  const challenge = await person('POST /factors/{factor}/challenge', `${at}/challenge`, {})
  const { secret } = factor['totp'] as { secret: string }
  const answer = { challenge_id: challenge['id'], code: await codeOf(secret) }
  const raised = await person('POST /factors/{factor}/verify', `${at}/verify`, answer)
  const token = { authorization: `Bearer ${text(raised['access_token'])}` }
  await callBy(server, document, 'auth', token)('DELETE /factors/{factor}', at)
  await person('POST /logout', '/logout?scope=local')
})

it('the description of auth matches its answers to apps and the operator', async () => {
  const document = await describeFor(server, 'auth', operatorKey)
  const visitor = callBy(server, document, 'auth', {})
  const metadata = { redirect_uris: [appCallback], token_endpoint_auth_method: 'none' }
  const register = '/oauth/clients/register'
  const app = await visitor(`POST ${register}`, register, metadata)
  const pair = pkcePair()
  const client_id = text(app['client_id'])
  const sent = await visitAuthorize(server, inOrder({ client_id }, pair, { scope: 'openid email' }))
  const id = new URL(sent.headers.get('location') ?? '').searchParams.get('authorization_id') ?? ''
  const person = callBy(server, document, 'auth', ann.headers)
  const authorization = '/oauth/authorizations/{authorization}'
  await person(`GET ${authorization}`, `/oauth/authorizations/${id}`)
  const consent = `/oauth/authorizations/${id}/consent`
  const gone = await person(`POST ${authorization}/consent`, consent, { action: 'approve' })
  const code = new URL(text(gone['redirect_url'])).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', client_id, code, code_verifier: pair.verifier }
  const tokens = await ask(server, 'auth', '/oauth/token', {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { access_token: token } = (await tokens.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }
  await callBy(server, document, 'auth', headers)('GET /oauth/userinfo', '/oauth/userinfo')
  await person('GET /user/oauth/grants', '/user/oauth/grants')
  await person('GET /user/oauth/changes', '/user/oauth/changes')
  await person('DELETE /user/oauth/grants', `/user/oauth/grants?client_id=${client_id}`)

  const operator = callBy(server, document, 'auth', operatorKey)
  await operator('GET /admin/users', '/admin/users?page=1&per_page=5')
  const email = `made-${crypto.randomUUID()}@example.com`
  const made = await operator('POST /admin/users', '/admin/users', { email })
  const at = `/admin/users/${text(made['id'])}`
  await operator('GET /admin/users/{user}', at)
  await operator('PUT /admin/users/{user}', at, { user_metadata: { display_name: 'Bea' } })
  await operator('GET /admin/users/{user}/factors', `${at}/factors`)
  const link = { type: 'magiclink', email }
  await operator('POST /admin/generate_link', '/admin/generate_link', link)
  await operator('DELETE /admin/users/{user}', at)
  await operator('GET /admin/oauth/clients', '/admin/oauth/clients')
  const client = `/admin/oauth/clients/${client_id}`
  await operator('GET /admin/oauth/clients/{client}', client)
  await operator('PUT /admin/oauth/clients/{client}', client, { client_name: 'Renamed' })
  await operator('DELETE /admin/oauth/clients/{client}', client)
})

it('the description of functions matches its answers', async () => {
  const document = await describeFor(server, 'functions', admin.headers)
  const person = callBy(server, document, 'functions', admin.headers)
  for (const name of ['ai-status', 'check-subscription', 'system-status'])
    await person(`POST /${name}`, `/${name}`, {})
  const prompt = { prompt: 'A sale of shoes' }
  await person('POST /generate-popup-content', '/generate-popup-content', {
    ...prompt,
    type: 'content',
  })
  const settings = { url: 'https://hooks.example/', events: ['link.created'] }
  const made = await person('POST /webhooks', '/webhooks', settings)
  await person('GET /webhooks', '/webhooks')
  const { id } = made['webhook'] as { id: string }
  const at = `/webhooks/${id}`
  await person('PUT /webhooks/{id}', at, { ...settings, description: 'Shop' })
  await person('POST /webhooks/{id}/rotate-secret', `${at}/rotate-secret`, {})
  const sent = await person('POST /webhooks/{id}/test', `${at}/test`, {})
  await person('GET /webhooks/{id}/deliveries', `${at}/deliveries`)
  const delivery = `${at}/deliveries/${text(sent['delivery'])}`
  await person('GET /webhooks/{id}/deliveries/{delivery}', delivery)
  await person('POST /webhooks/{id}/state', `${at}/state`, { is_enabled: false })
  await person('DELETE /webhooks/{id}', at)
  const operator = callBy(
    server,
    await describeFor(server, 'functions', operatorKey),
    'functions',
    operatorKey,
  )
  await operator('GET /request-origin', '/request-origin')
})
