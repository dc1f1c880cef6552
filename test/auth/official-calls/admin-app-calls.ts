import { expect } from 'vitest'
import { officialAdmin } from '../requests.ts'
import { type Calls, nothing, refusal, type World } from './world.ts'

const noSuchApp = [404, 'oauth_client_not_found']

/** Apps that may ask people, as an operator's program sees them. */
export const adminAppCalls: Calls = {
  async 'admin.oauth.createClient'({ admin }) {
    const { data, error } = await admin.oauth.createClient(wanted)
    expect(error).toBeNull()
    expect(data).toMatchObject({
      ...wanted,
      client_id: expect.any(String),
      client_secret: expect.stringMatching(/\S{20}/),
      client_type: 'confidential',
      registration_type: 'manual',
    })

    const nowhere = await admin.oauth.createClient({ ...wanted, redirect_uris: ['ftp://x'] })
    expect(refusal(nowhere)).toEqual([400, 'validation_failed'])
  },

  async 'admin.oauth.getClient'(world) {
    const { id, secret } = await makeApp(world)
    const { data, error } = await world.admin.oauth.getClient(id)
    expect(error).toBeNull()
    expect(data).toMatchObject({ client_id: id, ...wanted })
    // It is told once.
    expect(JSON.stringify(data)).not.toContain(secret)

    expect(refusal(await world.admin.oauth.getClient(nothing))).toEqual(noSuchApp)
  },

  async 'admin.oauth.listClients'(world) {
    const { id } = await makeApp(world)
    const { data, error } = await world.admin.oauth.listClients({ page: 1, perPage: 1 })
    expect(error).toBeNull()
    expect(data.clients.map(({ client_id }) => client_id)).toEqual([id])

    const { url, anonKey: serviceRoleKey } = world
    const visitor = officialAdmin({ url, serviceRoleKey })
    expect(refusal(await visitor.oauth.listClients())).toEqual([403, 'not_admin'])
  },

  async 'admin.oauth.updateClient'(world) {
    const { id } = await makeApp(world)
    const change = { client_name: 'Renamed', redirect_uris: ['https://other.example/back'] }
    const { data, error } = await world.admin.oauth.updateClient(id, change)
    expect(error).toBeNull()
    expect(data).toMatchObject({ client_id: id, ...change })

    const nowhere = await world.admin.oauth.updateClient(id, { redirect_uris: ['no address'] })
    expect(refusal(nowhere)).toEqual([400, 'validation_failed'])
  },

  async 'admin.oauth.regenerateClientSecret'(world) {
    const { id, secret } = await makeApp(world)
    const { data, error } = await world.admin.oauth.regenerateClientSecret(id)
    expect(error).toBeNull()
    expect(data).toMatchObject({ client_id: id, client_secret: expect.stringMatching(/\S{20}/) })
    expect(data?.client_secret).not.toBe(secret)

    expect(refusal(await world.admin.oauth.regenerateClientSecret(nothing))).toEqual(noSuchApp)
  },

  async 'admin.oauth.deleteClient'(world) {
    const { id } = await makeApp(world)
    expect((await world.admin.oauth.deleteClient(id)).error).toBeNull()
    expect(refusal(await world.admin.oauth.getClient(id))).toEqual(noSuchApp)

    expect(refusal(await world.admin.oauth.deleteClient(id))).toEqual(noSuchApp)
  },
}

const wanted = { client_name: 'Example App', redirect_uris: ['https://app.example/callback'] }

async function makeApp({ admin }: World) {
  const { data, error } = await admin.oauth.createClient(wanted)
  if (error || !data) throw error ?? new Error('no app')
  return { id: data.client_id, secret: data.client_secret ?? '' }
}
