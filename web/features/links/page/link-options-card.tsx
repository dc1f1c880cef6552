import { Button } from '#web/ui/button.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { LinkCard } from './link-card.tsx'
import { optionWordsOf } from './option-words.ts'

interface LinkOptionsCardProps {
  link: LinkRow
  onEdit: () => void
}

/** The options of a link that are set, in plain words. */
export function LinkOptionsCard({ link, onEdit }: LinkOptionsCardProps) {
  const words = optionWordsOf(link)
  return (
    <LinkCard title="Options">
      {words.length === 0 ? (
        <p className="mt-3 text-sm text-ink-soft">No options are set.</p>
      ) : (
        <ul className="mt-3 grid gap-2 text-sm text-ink-soft wrap-anywhere">
          {words.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {link.note === null ? null : (
        <p
          dir="auto"
          className="mt-3 border-t border-line pt-3 text-sm whitespace-pre-wrap text-ink-soft wrap-anywhere"
        >
          {link.note}
        </p>
      )}
      <Button size="small" className="mt-4" onClick={onEdit}>
        Change options
      </Button>
    </LinkCard>
  )
}
