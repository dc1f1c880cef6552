import * as z from 'zod'
import { valueAs } from '../postgres/rows.ts'
import { checkDomain } from './check-domain.ts'
import { type DomainCheckDeps, domainRole } from './checked-row.ts'

/** Question of `api.check_domain` (database/code/05_domains.sql). */
const question = z.object({ id: z.int() })

/** How long a person waits for a check of the same domain that is under way. */
const waitMs = 20_000

/** Checks a domain for its owner now, and answers with its row. */
export function domainProcedures(deps: DomainCheckDeps) {
  return {
    async check_domain(answer: unknown): Promise<unknown> {
      const { id } = question.parse(answer)
      await checkDomain(id, deps, waitMs)
      return valueAs(
        deps.database,
        { role: domainRole, readOnly: true },
        'select app.domain_row($1)',
        [id],
      )
    },
  }
}
