import { useState } from 'react'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { rightsOfRole, type SpaceRole } from '#domain/access/space-roles.ts'
import { spaceSlug } from '#web/space.ts'
import { useSpace } from './account-store.ts'

/** A right of a role, by its scope; `owner` for acts of owners only. */
export type Right = OAuthScope | 'owner'

/**
 * The rights of the person in the account that the page acts for: all in their own. Screens leave out the
 * rest; the server decides.
 *
 * @example
 * const may = useRights()
 * {may('links:write') ? <NewLink /> : null}
 */
export function useRights(): (right: Right) => boolean {
  const space = useSpace()
  if (spaceSlug === undefined) return everything
  if (space === undefined) return nothing
  return (right) => hasRight(space.role, right)
}

/** Whether a role has a right. */
export function hasRight(role: SpaceRole, right: Right): boolean {
  const rights = rightsOfRole[role]
  return rights === undefined || (right !== 'owner' && rights.includes(right))
}

const everything = () => true
const nothing = () => false

/** Whether the person had the right at any time since the part appeared: an open editor keeps its text when a role changes. */
export function useKeptRight(right: Right): boolean {
  const has = useRights()(right)
  const [hadOnce, setHadOnce] = useState(has)
  if (has && !hadOnce) setHadOnce(true)
  return has || hadOnce
}
