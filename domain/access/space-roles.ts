import type { OAuthScope } from './oauth-scopes.ts'

/** Roles of the members of a space, the mightiest first. */
export const spaceRoles = ['owner', 'editor', 'viewer'] as const

export type SpaceRole = (typeof spaceRoles)[number]

const viewer: readonly OAuthScope[] = [
  'links:read',
  'analytics:read',
  'popups:read',
  'bio:read',
  'members:read',
]

/**
 * Rights of a role, as scopes; undefined for an owner, who may do everything. A viewer sees no email address of the audience.
 */
export const rightsOfRole: Readonly<Record<SpaceRole, readonly OAuthScope[] | undefined>> = {
  owner: undefined,
  editor: [...viewer, 'links:write', 'popups:write', 'bio:write', 'leads:read', 'leads:write'],
  viewer,
}

/** Finds a role by its name. */
export function spaceRole(name: unknown): SpaceRole | undefined {
  return spaceRoles.find((role) => role === name)
}
