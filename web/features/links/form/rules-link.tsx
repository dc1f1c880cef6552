import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { buttonClass } from '#web/ui/button.tsx'

interface RulesLinkProps {
  code: string
  /** Undefined while they are loading. */
  rules: LinkRules | undefined
  /** Closes the dialog, unless something would be lost. */
  onOpen: () => void
}

/** The way from the form of a saved link to its rules, which are edited beside their results and tests. */
export function RulesLink({ code, rules, onOpen }: RulesLinkProps) {
  return (
    <div className="grid justify-items-start gap-4">
      <p className="text-sm text-ink-soft">
        {rules === undefined || rules.length === 0
          ? 'Every visitor goes to the destination.'
          : rules.length === 1
            ? 'This link has 1 rule.'
            : `This link has ${rules.length} rules.`}{' '}
        Split visitors (A/B), or send some elsewhere, on the page of the link.
      </p>
      <Link
        to={routes.link.path}
        params={{ code }}
        hash="behavior"
        onClick={onOpen}
        className={buttonClass('plain', 'small')}
      >
        Edit rules
      </Link>
    </div>
  )
}
