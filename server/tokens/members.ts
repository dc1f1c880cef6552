import { type SpaceRole, spaceRole } from '#domain/access/space-roles.ts'
import { LRUCache } from 'lru-cache'
import type { SecurityEventName } from '#domain/access/security-events.ts'
import type { Logger } from '../log.ts'
import { MemberRoleError } from '../postgres/begin.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import { queryAs, valueAs } from '../postgres/rows.ts'
import { startPeriodicJob } from '../primitives/jobs.ts'
import {
  ForeignAccountError,
  type Members,
  type PersonIdentity,
  personOf,
  roleRefusal,
} from './tokens.ts'

interface MembersDeps {
  database: Database
  listener: Listener
  securityEvents: {
    add(event: {
      event: SecurityEventName
      user_id: string
      session_id: null
      address: string
      user_agent: string | null
      facts: Record<string, unknown>
    }): void
  }
  log: Logger
}

/** The channel that says `{account} {person}` when a role changes. */
export const membersChannel = 'hoplet_members'

/** A lost notification is made up for after this time. */
const rememberedMs = 60_000
const seenDelayMs = 5_000
/** More members than that in one delay are not noted. */
const maxSeen = 10_000

export function createMembers({
  database,
  listener,
  securityEvents,
  log,
}: MembersDeps): Members & { close(): Promise<void> } {
  /** By account and person; `none` for strangers. */
  const roles = new LRUCache<string, SpaceRole | 'none'>({ max: 20_000, ttl: rememberedMs })
  const seen = new Set<string>()
  listener.on(
    membersChannel,
    (key) => roles.delete(key),
    () => roles.clear(),
  )
  const storing = startPeriodicJob(log, 'note members', { everyMs: seenDelayMs }, () =>
    storeSeen(database, seen),
  )

  async function readRole(account: string, person: string): Promise<SpaceRole | 'none'> {
    const text = await valueAs<string | null>(
      database,
      { role: 'hoplet_auth', readOnly: true },
      'select auth.member_role($1, $2)',
      [account, person],
    )
    const role = spaceRole(text) ?? 'none'
    roles.set(`${account} ${person}`, role)
    return role
  }

  function withRole(identity: PersonIdentity, account: string, role: string): PersonIdentity {
    const person = personOf(identity.claims)
    const known = spaceRole(role)
    if (known === undefined) throw new ForeignAccountError(person)
    const key = `${account} ${person}`
    if (seen.size < maxSeen) seen.add(key)
    const claims = { ...identity.claims, sub: account, person, member_role: known }
    return { role: 'authenticated', claims }
  }

  return {
    async actFor(identity, account) {
      const person = personOf(identity.claims)
      const role = roles.get(`${account} ${person}`) ?? (await readRole(account, person))
      return withRole(identity, account, role)
    },
    async inPresentRole(identity, work) {
      try {
        return await work(identity)
      } catch (error) {
        if (identity.role !== 'authenticated' || !isAboutRole(error)) throw error
        const { sub, member_role: before } = identity.claims
        const role = await readRole(sub, personOf(identity.claims))
        if (role === before) throw error
        return work(withRole(identity, sub, role) as typeof identity)
      }
    },
    recordRefused(error, request, info) {
      if (!(error instanceof ForeignAccountError)) return
      securityEvents.add({
        event: 'account of others refused',
        user_id: error.person,
        session_id: null,
        address: info.address,
        user_agent: request.headers.get('user-agent'),
        facts: { request_id: info.requestId },
      })
    },
    async close() {
      await storing.run()
      await storing.close()
    },
  }
}

/** Whether the database or a door refused the remembered role. */
function isAboutRole(error: unknown): boolean {
  return (
    error instanceof MemberRoleError || (error instanceof Error && error.message === roleRefusal)
  )
}

async function storeSeen(database: Database, seen: Set<string>): Promise<void> {
  if (seen.size === 0) return
  const members = [...seen].map((key) => key.split(' '))
  seen.clear()
  await queryAs(
    database,
    { role: 'hoplet_auth' },
    `update app.members m set last_seen_at = now() from unnest($1::uuid[], $2::uuid[]) as s(account, person)
      where m.account_id = s.account and m.person_id = s.person
        and (m.last_seen_at is null or m.last_seen_at < now() - interval '5 minutes')`,
    [members.map(([account]) => account), members.map(([, person]) => person)],
  )
}
