import { normalizeShortCode, customCodeProblem } from '#domain/links/short-codes.ts'
import { codeIdeas } from '#domain/links/suggest-codes.ts'
import type { Context } from '../context.ts'
import { HttpError } from '../http/errors.ts'
import { ifError } from '../primitives/caught-error.ts'
import { valueAs } from '../postgres/rows.ts'

/** Question of `api.suggest_codes` (database/code/07_links.sql). */
interface SuggestionQuestion {
  account: string
  person: string
  url: string
  title: string
  /** Beginning of keys on the host where the code is wanted. */
  prefix: string
}

/** Three free codes for an address: those of the AI first, where one is connected and has a call left today. */
export function suggestionProcedures({
  ai,
  database,
  log,
}: Pick<Context, 'ai' | 'database' | 'log'>) {
  return {
    async suggest_codes(question: unknown): Promise<string[]> {
      const { account, person, url, title, prefix } = question as SuggestionQuestion
      const prompt = `${title}\n${url}`
      // Without an answer there are still the ideas below.
      const written = ai.connected.text
        ? await ai
            .suggestCodes(prompt, { userId: person, accountId: account, log })
            .catch(ifError(HttpError, () => []))
        : []
      const ideas = [...written.map(normalizeShortCode), ...codeIdeas(url, title)]
      const codes = [...new Set(ideas)].filter((code) => customCodeProblem(code) === null)
      const free = await valueAs<string[]>(
        database,
        { role: 'hoplet_worker', readOnly: true },
        'select app.free_codes($1, $2, $3)',
        [account, codes, prefix],
      )
      return free ?? []
    },
  }
}
