import { hashSync } from 'bcryptjs'
import type { TestServer } from '#test/server.ts'
import { newEmail, type OfficialClient } from '../requests.ts'
import type { Outside } from './outside.ts'

/** Where the official client runs: in Node, or in a page of Chromium. The calls are the same in both. */
export interface World extends Pick<TestServer, 'url' | 'anonKey' | 'sql'> {
  outside: Outside
  /** The official client of a person who uses it for the first time. */
  newClient(flowType?: 'pkce' | 'implicit'): OfficialClient
  /** With the service key: never in a browser. */
  admin: OfficialClient['admin']
  /**
   * Goes where a provider's sign-in leads, as a browser does that is not signed in there.
   *
   * @returns the address that it comes back to the app with
   */
  travel(address: string): Promise<URL>
  key: SecurityKey
}

type Webauthn = OfficialClient['mfa']['webauthn']

/** A security key: one of software in Node, Chromium's own in the browser. */
interface SecurityKey {
  register(client: OfficialClient, friendlyName: string): ReturnType<Webauthn['register']>
  authenticate(client: OfficialClient, factorId: string): ReturnType<Webauthn['authenticate']>
}

/** The calls of the client by name; words in brackets tell two of one call apart. */
export type Calls = Record<string, (world: World) => Promise<void>>

export interface Person {
  id: string
  email: string
  password: string
}

const password = 'correct horse 42'
/** As another system hashed it, cheaply: hundreds of sign-ins take their time. */
const password_hash = hashSync(password, 4)

/** A person with a proven address. */
export async function makePerson({ admin }: Pick<World, 'admin'>): Promise<Person> {
  const email = newEmail()
  const { data, error } = await admin.createUser({ email, password_hash, email_confirm: true })
  if (error) throw error
  return { email, password, id: data.user.id }
}

/** A client that is signed in. */
export async function signedIn(
  world: World,
  person?: Person,
  flowType?: 'pkce' | 'implicit',
): Promise<{ client: OfficialClient; person: Person }> {
  const signedIn = person ?? (await makePerson(world))
  const { email, password } = signedIn
  const client = world.newClient(flowType)
  const { error } = await client.signInWithPassword({ email, password })
  if (error) throw error
  return { client, person: signedIn }
}

/** Status and code of a refusal; the client's own refusals have a name in place of the code. */
export function refusal({
  error,
}: {
  error: { status?: unknown; code?: unknown; name: string } | null
}) {
  return error === null ? null : [error.status, error.code ?? error.name]
}

/** An id that nothing has. */
export const nothing = '6e0b8e6c-5d0c-4a7b-9b57-3c61e1bd9d4e'
