import type { Config } from '../../config.ts'
import { problems } from '../errors.ts'
import type { RelationRules } from '../rule-types.ts'
import type { Row } from '../table-request.ts'

const permanent = new Set<unknown>([301, 308, '301', '308'])

/** @throws {ProtocolError} 400 for a redirect that browsers remember, unless the operator allows it */
export function checkRedirectStatus(
  row: Row,
  { redirectStatus }: RelationRules,
  { visits }: Pick<Config, 'visits'>,
): void {
  if (redirectStatus === undefined || visits.allowPermanentRedirects) return
  if (permanent.has(row[redirectStatus])) throw problems.permanentRedirect()
}
