import { useSyncExternalStore } from 'react'
import type { SpaceRole } from '#domain/access/space-roles.ts'
import { spaceSlug } from '#web/space.ts'

/** A space as one of its members sees it. */
export interface Space {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly role: SpaceRole
}

/** The answer to the question for the space of the address; `absent`: there is none, or the person is not a member. */
export interface KnownSpace {
  readonly person: string
  readonly answer: Space | 'absent'
  /** Membership ended while the person had typed something: the screen stays. */
  readonly isLost?: true
}

let known: KnownSpace | undefined
const listeners = new Set<() => void>()

export function knownSpace(): KnownSpace | undefined {
  return known
}

export function takeSpace(next: KnownSpace): void {
  known = next
  for (const listener of listeners) listener()
}

/** @returns a function that stops following */
export function followSpace(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The account that a person acts for on this page, as far as it is known: their own, or the space; `absent` for none. */
export function knownAccountOf(person: string): string | undefined {
  if (spaceSlug === undefined) return person
  const answer = known?.person === person ? known.answer : undefined
  return typeof answer === 'object' ? answer.id : answer
}

function currentSpace(): Space | undefined {
  const answer = knownSpace()?.answer
  return answer === 'absent' ? undefined : answer
}

/** The space of this page; undefined in one's own account, and until it is known. */
export function useSpace(): Space | undefined {
  return useSyncExternalStore(followSpace, currentSpace, currentSpace)
}
