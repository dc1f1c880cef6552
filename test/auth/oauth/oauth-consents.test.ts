import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { allow, askFor, codeFor, makeApp, pkcePair, tokensFor } from './oauth-app.ts'
import { request } from '../requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const isAlive = async (token: string) => (await request(server, '/user', { token })).status === 200

/** Consents of an account to other apps, given so many minutes ago. */
const consentTo = (account: string, minutes: readonly number[]) =>
  server.sql(
    `with given as (select *, gen_random_uuid() as id from unnest($2::int[]) as minutes), apps as (
        insert into auth.oauth_clients (id, client_name, redirect_uris, scope)
          select id, 'App', '{https://app.example/}', 'openid' from given returning id)
      insert into auth.oauth_consents (user_id, client_id, scope, resources, granted_at)
        select $1, id, 'openid', '{""}', now() - minutes * interval '1 minute' from given join apps using (id)`,
    [account, minutes],
  )
const consentsOf = async (account: string) =>
  (
    await server.sql<{ id: string }>(
      'select client_id as id from auth.oauth_consents where user_id = $1',
      [account],
    )
  ).map(({ id }) => id)
const minutesAgo = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + index)

it('a consent to one app too many ends the one that was not used for longest, with its sessions', async () => {
  const person = await makeUser(server)
  const [used, unused, next] = [await makeApp(server), await makeApp(server), await makeApp(server)]
  const scope = 'offline_access links:read'
  const tokens = [
    await tokensFor(server, person, used, scope),
    await tokensFor(server, person, unused, scope),
  ]
  // Both were allowed before all others; one was used since.
  await server.sql(
    `update auth.oauth_consents set granted_at = now() - interval '1 day' where user_id = $1`,
    [person.id],
  )
  await server.sql(
    `update auth.sessions set refreshed_at = now() - interval '1 day' where oauth_client_id = $1`,
    [unused.client_id],
  )
  await consentTo(person.id, minutesAgo(10, 97))
  const alive = () => Promise.all(tokens.map(({ access_token: token }) => isAlive(token)))
  // The control: the hundredth ends none.
  await codeFor(server, person, await makeApp(server), pkcePair())
  expect([(await consentsOf(person.id)).length, await alive()]).toEqual([100, [true, true]])
  await codeFor(server, person, next, pkcePair())
  const left = await consentsOf(person.id)
  expect(left).toHaveLength(100)
  expect(left).toEqual(expect.arrayContaining([used.client_id, next.client_id]))
  expect(left).not.toContain(unused.client_id)
  expect(await alive()).toEqual([true, false])
  await server.context.securityEvents.flush()
  const ended = await server.sql(
    `select facts ->> 'client_id' as app from auth.security_events
      where user_id = $1 and event = 'app no longer allowed'`,
    [person.id],
  )
  expect(ended).toEqual([{ app: unused.client_id }])
  // Another consent to an app that has one takes no place.
  await codeFor(server, person, next, pkcePair(), { scope: 'openid email' })
  expect((await consentsOf(person.id)).toSorted()).toEqual(left.toSorted())
})

it('consents that are given at once leave a hundred as well', async () => {
  const person = await makeUser(server)
  await consentTo(person.id, minutesAgo(10, 99))
  const asked = await Promise.all(
    Array.from({ length: 6 }, async () => askFor(server, await makeApp(server), pkcePair())),
  )
  await Promise.all(asked.map((id) => allow(server, person, id)))
  expect(await consentsOf(person.id)).toHaveLength(100)
})
