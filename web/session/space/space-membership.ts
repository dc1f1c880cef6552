import type { Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { spaceRole } from '#domain/access/space-roles.ts'
import { fetchInWords } from '#web/api/fetch-in-words.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import { followSpace, knownAccountOf, knownSpace, type Space, takeSpace } from './account-store.ts'

/** There is no space at this address, or the person is not a member. */
export class NoSuchSpaceError extends Error {
  name = 'NoSuchSpaceError'
}

/** The server no longer knows the session that asked for the space. */
export class SpaceSessionError extends Error {
  name = 'SpaceSessionError'
}

let asked: { person: string; done: Promise<void> } | undefined

/**
 * The id of the space of the address. Asks for it first, once for a person.
 *
 * @throws {NoSuchSpaceError}
 */
export async function spaceIdOf({ user, access_token: token }: Session): Promise<string> {
  if (asked?.person !== user.id) {
    const asking = { person: user.id, done: findSpace(user.id, token) }
    asked = asking
    asking.done.catch(() => {
      if (asked === asking) asked = undefined
    })
  }
  await asked.done
  // It may have been lost meanwhile.
  const account = knownAccountOf(user.id)
  if (account === undefined || account === 'absent') throw new NoSuchSpaceError()
  return account
}

/** As the person, not as a member: the answer is the same for a foreign space and for none. */
async function findSpace(person: string, token: string): Promise<void> {
  const query = new URLSearchParams({ select: 'id,slug,name,role', slug: `eq.${spaceSlug}` })
  const response = await fetchInWords(`/rest/v1/spaces?${query.toString()}`, {
    headers: { apikey: site.anonKey, Authorization: `Bearer ${token}` },
  })
  if (response.status === 401) throw new SpaceSessionError()
  if (!response.ok) throw new Error(`The space could not be read: ${response.status}`)
  const [found] = (await response.json()) as Space[]
  takeSpace({ person, answer: found ?? 'absent' })
}

/** The server refused a request for the space: the person is no member any more. `keepsScreen`: so that typed text stays. */
export function loseSpace(keepsScreen: boolean): void {
  const known = knownSpace()
  if (known === undefined || known.isLost) return
  takeSpace(keepsScreen ? { ...known, isLost: true } : { person: known.person, answer: 'absent' })
}

/** Takes facts that the server says now: another role, or a name that an owner has stored. */
export function updateSpace(facts: { role?: unknown; name?: string }): void {
  const known = knownSpace()
  if (known === undefined || known.answer === 'absent') return
  const { role, name } = known.answer
  const next = { role: spaceRole(facts.role) ?? role, name: facts.name ?? name }
  if (next.role === role && next.name === name) return
  takeSpace({ ...known, answer: { ...known.answer, ...next } })
}

const isLost = () => knownSpace()?.isLost === true

/** Whether the person has lost the space with something typed on the screen. */
export function useIsSpaceLost(): boolean {
  return useSyncExternalStore(followSpace, isLost, isLost)
}
