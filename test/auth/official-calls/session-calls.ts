import { expect } from 'vitest'
import type { OfficialClient } from '../requests.ts'
import { type Calls, makePerson, refusal, signedIn, type World } from './world.ts'

const missing = [400, 'AuthSessionMissingError']

/** Sessions: kept, renewed, verified and ended. */
export const sessionCalls: Calls = {
  async getSession(world) {
    const { client, person } = await signedIn(world)
    const { data, error } = await client.getSession()
    expect(error).toBeNull()
    expect(data.session).toMatchObject({ token_type: 'bearer', user: { id: person.id } })

    expect((await world.newClient().getSession()).data).toEqual({ session: null })
  },

  async setSession(world) {
    const { client, person } = await signedIn(world)
    const { access_token, refresh_token } = await sessionIn(client)
    const other = world.newClient()
    const { data, error } = await other.setSession({ access_token, refresh_token })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(person.id)
    expect((await other.getUser()).data.user?.id).toBe(person.id)

    const [head, claims, signature = ''] = access_token.split('.')
    const forged = `${head}.${claims}.${signature.split('').reverse().join('')}`
    const wrong = await world.newClient().setSession({ access_token: forged, refresh_token })
    expect(refusal(wrong)).toEqual([403, 'bad_jwt'])
  },

  async refreshSession(world) {
    const { client, person } = await signedIn(world)
    const before = await sessionIn(client)
    const { data, error } = await client.refreshSession()
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe(before.refresh_token)
    expect(data.user?.id).toBe(person.id)
    expect((await client.getUser()).error).toBeNull()
    const sessionOf = async (token?: string) =>
      (await client.getClaims(token)).data?.claims.session_id
    expect(await sessionOf()).toBe(await sessionOf(before.access_token))

    const wrong = await world.newClient().refreshSession({ refresh_token: 'never ours' })
    expect(refusal(wrong)).toEqual([400, 'refresh_token_not_found'])
  },

  async getClaims(world) {
    const { client, person } = await signedIn(world)
    const { data, error } = await client.getClaims()
    expect(error).toBeNull()
    expect(data?.header).toMatchObject({ alg: 'ES256', typ: 'JWT' })
    expect(data?.claims).toMatchObject({
      iss: `${world.url}/auth/v1`,
      sub: person.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: person.email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: {},
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
    })
    expect((data?.claims.exp ?? 0) - (data?.claims.iat ?? 0)).toBe(3600)

    // The client checks the signature with our public key, without a request.
    const { access_token: token } = await sessionIn(client)
    const [head, claims, signature = ''] = token.split('.')
    const forged = `${head}.${claims}.${signature.split('').reverse().join('')}`
    expect(refusal(await client.getClaims(forged))).toEqual([400, 'invalid_jwt'])
  },

  'signOut (scope global)': (world) => signsOut(world, 'global', [false, false]),
  'signOut (scope local)': (world) => signsOut(world, 'local', [false, true]),
  'signOut (scope others)': (world) => signsOut(world, 'others', [true, false]),
}

/** @param alive which of two sessions go on, the first is the one that calls */
async function signsOut(
  world: World,
  scope: 'global' | 'local' | 'others',
  alive: boolean[],
): Promise<void> {
  const person = await makePerson(world)
  const [here, there] = [await signedIn(world, person), await signedIn(world, person)]
  const tokens = [await sessionIn(here.client), await sessionIn(there.client)]
  expect((await here.client.signOut({ scope })).error).toBeNull()
  const asking = world.newClient()
  const answers = []
  for (const { access_token } of tokens) answers.push(await asking.getUser(access_token))
  expect(answers.map(({ data }) => data.user?.id === person.id)).toEqual(alive)
  expect((await here.client.getSession()).data.session !== null).toBe(scope === 'others')

  // Signed out, a client has nothing to end and nothing to read.
  const nobody = world.newClient()
  expect((await nobody.signOut({ scope })).error).toBeNull()
  expect(refusal(await nobody.getUser())).toEqual(missing)
}

async function sessionIn(client: OfficialClient) {
  const { data } = await client.getSession()
  if (!data.session) throw new Error('not signed in')
  return data.session
}
