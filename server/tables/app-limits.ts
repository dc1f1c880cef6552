import type { OAuthScope } from '#domain/oauth-scopes.ts'
import { appScopes } from '../tokens/app-scopes.ts'
import type { Identity } from '../tokens/tokens.ts'
import { problems } from './errors.ts'
import type { Access, Relation } from './exposure.ts'

type Scopes = ReadonlySet<OAuthScope>
type Verb = keyof Access

/** What somebody may do with a relation through an app. */
interface Limited {
  relation: Relation
  access: Access
}

/**
 * Narrows what a person may do to what they have allowed the app that asks; their own token stays as it is
 * (docs/decisions/0062-apps-act-with-scopes.md). Everything that is not named here is closed to apps, and so is what
 * an admin sees of others.
 *
 * @param verb what the request does
 * @throws {ProtocolError} 403 insufficient_scope
 */
export function limitToApp(name: string, whole: Limited, identity: Identity, verb: Verb): Limited {
  const scopes = appScopes(identity.claims)
  if (!scopes) return whole
  const limit = relations[name]
  if (!limit) throw problems.notForApps(`view ${name}`)
  const needed = limit.needs(verb)
  if (!needed) throw problems.notForApps(`view ${name}`)
  if (!scopes.has(needed)) throw problems.insufficientScope(needed)
  return limit.narrow(whole, scopes)
}

/** The same for a function. @throws {ProtocolError} 403 insufficient_scope */
export function checkAppMayCall(name: string, identity: Identity): void {
  const scopes = appScopes(identity.claims)
  if (!scopes) return
  const oneOf = functions[name]
  if (!oneOf) throw problems.notForApps(`function ${name}`)
  if (!oneOf.some((scope) => scopes.has(scope)))
    throw problems.insufficientScope(oneOf[0] ?? 'links:read')
}

interface RelationLimit {
  /** The scope that opens a verb; undefined: it is closed to apps. */
  needs(verb: Verb): OAuthScope | undefined
  narrow(whole: Limited, scopes: Scopes): Limited
}

/** What an app that may only write needs to say which link it means. */
const naming = ['id', 'short_code']

const relations: Readonly<Record<string, RelationLimit>> = {
  shortened_urls: {
    needs: (verb) => (verb === 'select' ? 'links:read' : 'links:write'),
    narrow: ({ relation, access }, scopes) => ({
      relation,
      // A change can answer with its rows, and its filters ask about them: without links:read only by their names.
      access: scopes.has('links:read') ? access : { ...access, select: naming },
    }),
  },
  profiles: {
    needs: (verb) => (verb === 'select' ? 'profile' : undefined),
    narrow: ({ relation, access }, scopes) => ({
      // An admin sees everybody's profile; their apps see the admin's own.
      relation: { ...relation, owner: { column: 'id' } },
      access: {
        select: access.select?.filter((column) => column !== 'email' || scopes.has('email')) ?? [],
      },
    }),
  },
}

const functions: Readonly<Record<string, readonly OAuthScope[]>> = {
  search_links: ['links:read'],
  can_create_url: ['links:read', 'links:write'],
}
