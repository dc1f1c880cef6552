import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { appScopes, type Identity, isLimitedToDomains, roleRights } from '../tokens/tokens.ts'
import type { Access } from './catalog/catalog.ts'
import { problems } from './errors.ts'
import type { AppRules, FunctionRules, RelationRules } from './rule-types.ts'

/** Rights of an identity on a relation. */
interface Allowed {
  name: string
  access: Access
  rules: RelationRules
}

/**
 * Narrows a person's rights to those of the calling app and of their role in the space that they act for; their own token in their
 * own account stays as it is (docs/decisions/0062-apps-act-with-scopes.md, 0069-a-space-is-an-account.md). A relation without `apps` rules
 * is closed to apps, and so are rows of other people that an admin sees.
 *
 * @param verb the verb of the request
 * @throws {ProtocolError} 403 insufficient_scope, or 42501 for a role
 */
export function limitRights(allowed: Allowed, identity: Identity, verb: keyof Access): Allowed {
  const { apps, members = apps, isOfDomains } = allowed.rules
  if (!isOfDomains && isLimitedToDomains(identity.claims)) throw problems.notForDomains()
  const ofApp = limitTo(allowed, verb, {
    rights: appScopes(identity.claims),
    rules: apps,
    closed: () => problems.notForApps(`view ${allowed.name}`),
    missing: problems.insufficientScope,
  })
  return limitTo(ofApp, verb, {
    rights: roleRights(identity.claims),
    rules: isOwners(members, verb) ? undefined : members,
    closed: problems.notForRole,
    missing: problems.notForRole,
  })
}

function isOwners(
  members: RelationRules['members'],
  verb: keyof Access,
): members is 'owners' | undefined {
  if (members === undefined || members === 'owners') return true
  return verb === 'delete' && members.ownersDelete === true
}

interface Limit {
  /** Undefined for no limits. */
  rights: ReadonlySet<OAuthScope> | undefined
  rules: AppRules | undefined
  closed: () => Error
  missing: (scope: OAuthScope) => Error
}

function limitTo(
  allowed: Allowed,
  verb: keyof Access,
  { rights, rules: limits, closed, missing }: Limit,
): Allowed {
  if (!rights) return allowed
  const { name, access, rules } = allowed
  const needed = verb === 'select' ? limits?.read : limits?.write
  if (!limits || !needed) throw closed()
  if (!rights.has(needed)) throw missing(needed)
  if (verb !== 'select' && limits.writeNeeds !== undefined && !rights.has(limits.writeNeeds))
    throw missing(limits.writeNeeds)
  const readable = access.select?.filter((column) => {
    const own = limits.columns?.[column]
    return own === undefined || rights.has(own)
  })
  // A write can answer with its rows, and its filters ask about them.
  const select = rights.has(limits.read) ? readable : limits.writerColumns
  return {
    name,
    access: { ...(limits.write ? access : {}), select: select ?? [] },
    rules: limits.owner ? { ...rules, owner: limits.owner } : rules,
  }
}

/** Checks that an app, and a member of a space, may call a function. @throws {ProtocolError} 403 insufficient_scope, or 42501 for a role */
export function checkMayCall(
  name: string,
  { apps = [], members = apps, appsNeedAll = false, isOfDomains }: FunctionRules,
  { claims }: Identity,
): void {
  if (!isOfDomains && isLimitedToDomains(claims)) throw problems.notForDomains()
  const scopes = appScopes(claims)
  if (scopes && apps.length === 0) throw problems.notForApps(`function ${name}`)
  const missing = scopes && missingOf(apps, scopes, appsNeedAll)
  if (missing !== undefined) throw problems.insufficientScope(missing)
  const rights = roleRights(claims)
  if (!rights || members === 'everyone') return
  if (members === 'owners' || members.length === 0) throw problems.notForRole()
  if (missingOf(members, rights, appsNeedAll) !== undefined) throw problems.notForRole()
}

/** The first scope that is missing; undefined when one of them, or with `all` each, is there. */
function missingOf(
  scopes: readonly OAuthScope[],
  rights: ReadonlySet<OAuthScope>,
  all: boolean,
): OAuthScope | undefined {
  const [missing, ...more] = scopes.filter((scope) => !rights.has(scope))
  return all || more.length === scopes.length - 1 ? missing : undefined
}
