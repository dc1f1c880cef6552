import { Link } from '@tanstack/react-router'
import { codeOfLink } from '#domain/links/link-address.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import type { UnhealthyLink } from '#web/api/database.ts'
import { shownCode, shownName } from '#web/shown-link.ts'
import { Button } from '#web/ui/button.tsx'
import { findingWords } from './health-words.ts'
import { useCheckAgain } from './use-check-again.ts'

interface HealthRowProps {
  link: UnhealthyLink
  userId: string
  isUpdating: boolean
  onUpdate: () => void
}

/** A link with a finding, and its remedies. */
export function HealthRow({ link, userId, isUpdating, onUpdate }: HealthRowProps) {
  const again = useCheckAgain(userId, link.id)
  const { original_url: url, finding } = link
  const code = codeOfLink(link)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 border-b border-line py-3.5">
      <div className="min-w-0 grow basis-72">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2.5">
          <Link
            to={routes.link.path}
            params={{ code }}
            className="font-mono font-medium wrap-anywhere underline-offset-4 hover:underline"
          >
            {shownCode(code)}
          </Link>
          {link.title === null ? null : (
            <span className="min-w-0 truncate text-sm text-ink-soft">{link.title}</span>
          )}
        </p>
        <p className="mt-0.5 line-clamp-2 text-sm text-ink-faint wrap-anywhere" title={url}>
          {readableUrl(url)}
        </p>
        <p
          className={`mt-0.5 line-clamp-2 text-sm wrap-anywhere ${finding === 'moved' ? 'text-ink' : 'text-danger'}`}
          title={link.new_url ?? undefined}
        >
          {findingWords(link)}
        </p>
      </div>
      <Allowed right="links:write">
        <div className="flex flex-wrap gap-2">
          {finding === 'moved' ? (
            <Button size="small" busy={isUpdating} onClick={onUpdate}>
              Update address<span className="sr-only"> of {shownName(code)}</span>
            </Button>
          ) : null}
          <Button size="small" look="quiet" busy={again.busy} onClick={() => again.run()}>
            {again.busy ? 'Checking...' : 'Check again'}
            <span className="sr-only"> of {shownName(code)}</span>
          </Button>
        </div>
      </Allowed>
    </li>
  )
}
