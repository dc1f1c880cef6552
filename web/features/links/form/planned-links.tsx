import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import { readableUrl } from '#domain/links/readable-url.ts'
import type { PlannedLink } from './compose-draft.ts'

interface PlannedLinksProps {
  links: readonly PlannedLink[]
  /** Refusals of the server, by the number of the line. */
  refusals: ReadonlyMap<number, string>
}

/** The links that several lines will make. Codes are random until they exist. */
export function PlannedLinks({ links, refusals }: PlannedLinksProps) {
  return (
    <ScrollRegion
      className="max-h-56 overflow-auto rounded-xl border border-line"
      aria-label="Links to be made"
    >
      <table className="w-full text-left text-sm">
        <thead className="sticky top-0 bg-surface text-ink-faint">
          <tr>
            <th className="px-3 py-2.5 font-medium whitespace-nowrap">Short link</th>
            <th className="px-3 py-2.5 font-medium">Leads to</th>
          </tr>
        </thead>
        <tbody>
          {links.map(({ line, typed, url, problem, sameAs }) => {
            const refusal = problem ?? refusals.get(line)
            return (
              <tr key={line} className="border-t border-line align-top">
                <td className="px-3 py-2 font-mono whitespace-nowrap text-ink-faint">
                  {refusal === undefined && sameAs === undefined ? 'random' : '–'}
                </td>
                <td className="px-3 py-2 wrap-anywhere">
                  <span className="line-clamp-2">
                    {url === undefined ? typed : readableUrl(url)}
                  </span>
                  {refusal === undefined ? null : (
                    <span className="block text-danger">
                      Line {line}: {refusal}
                    </span>
                  )}
                  {sameAs === undefined ? null : (
                    <span className="block text-ink-faint">
                      Left out: the same as line {sameAs}.
                    </span>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
