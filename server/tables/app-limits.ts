import { appScopes, type Identity } from '../tokens/tokens.ts'
import type { Access } from './catalog/catalog.ts'
import { problems } from './errors.ts'
import type { FunctionRules, RelationRules } from './rules.ts'

/** Rights of an identity on a relation. */
interface Allowed {
  name: string
  access: Access
  rules: RelationRules
}

/**
 * Narrows a person's rights to those of the calling app; their own token stays as it is
 * (docs/decisions/0062-apps-act-with-scopes.md). A relation without `apps` rules is closed to apps, and so are
 * rows of other people that an admin sees.
 *
 * @param verb the verb of the request
 * @throws {ProtocolError} 403 insufficient_scope
 */
export function limitToApp(allowed: Allowed, identity: Identity, verb: keyof Access): Allowed {
  const scopes = appScopes(identity.claims)
  if (!scopes) return allowed
  const { name, access, rules } = allowed
  const { apps } = rules
  const needed = verb === 'select' ? apps?.read : apps?.write
  if (!apps || !needed) throw problems.notForApps(`view ${name}`)
  if (!scopes.has(needed)) throw problems.insufficientScope(needed)
  if (verb !== 'select' && apps.writeNeeds !== undefined && !scopes.has(apps.writeNeeds))
    throw problems.insufficientScope(apps.writeNeeds)
  const readable = access.select?.filter((column) => {
    const own = apps.columns?.[column]
    return own === undefined || scopes.has(own)
  })
  // A write can answer with its rows, and its filters ask about them.
  const select = scopes.has(apps.read) ? readable : apps.writerColumns
  return {
    name,
    access: { ...(apps.write ? access : {}), select: select ?? [] },
    rules: apps.owner ? { ...rules, owner: apps.owner } : rules,
  }
}

/** Checks that an app may call a function for a person. @throws {ProtocolError} 403 insufficient_scope */
export function checkAppMayCall(
  name: string,
  { apps = [], appsNeedAll = false }: FunctionRules,
  identity: Identity,
): void {
  const scopes = appScopes(identity.claims)
  if (!scopes) return
  if (apps.length === 0) throw problems.notForApps(`function ${name}`)
  const [missing, ...more] = apps.filter((scope) => !scopes.has(scope))
  if (missing !== undefined && (appsNeedAll || more.length === apps.length - 1))
    throw problems.insufficientScope(missing)
}
