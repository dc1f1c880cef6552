import type { Config } from '../config.ts'
import type { Database } from '../postgres/database.ts'
import type { getFromEndpoint } from '../webhooks/post.ts'
import type { DomainSite } from './domain-targets.ts'

/** The role of checks. */
export const domainRole = 'hoplet_worker'

export interface DomainCheckDeps {
  config: Pick<Config, 'domains' | 'webhooks'> & DomainSite
  database: Database
  getPublic: typeof getFromEndpoint
  version: string
}

/** Row of `app.domain_to_check` (database/code/05_domains.sql); the holder is another row of the host, which is served. */
export interface CheckedRow extends Record<string, unknown> {
  id: number
  account: string
  host: string
  token: string
  is_served: boolean
  is_proven: boolean
  is_blocked: boolean
  failing_since: Date | null
  warnings: number
  checks: number
  holder: number | null
  holder_account: string | null
  holder_token: string | null
  installation: string
}
