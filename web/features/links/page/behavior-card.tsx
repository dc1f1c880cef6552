import {
  Archive,
  ArrowRightLeft,
  CalendarClock,
  FlaskConical,
  Lock,
  MessageSquare,
  StickyNote,
} from 'lucide-react'
import { useId, useState } from 'react'
import type { LinkRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useUpdateLink } from '../change-link.ts'
import type { LinkSection } from '../options/option-sections.ts'
import { RulesRow } from '../rules/rules-row.tsx'
import { VisitSheet } from '../rules/visit-sheet.tsx'
import { BehaviorRow } from './behavior-row.tsx'
import { BioUseRow, PopupUseRow } from './link-uses.tsx'
import { forwardingWords, previewWords, scheduleWords } from './option-words.ts'

export interface BehaviorCardProps {
  link: LinkRow
  userId: string
  /** Opens the form of the link at one of its parts. */
  onEdit: (section: LinkSection) => void
}

/** The options of a link: a sentence and a verb for each. */
export function BehaviorCard({ link, userId, onEdit }: BehaviorCardProps) {
  const id = useId()
  const [isTesting, setTesting] = useState(false)
  return (
    <section
      id="behavior"
      aria-labelledby={id}
      className="min-w-0 scroll-mt-6 rounded-2xl border border-line bg-surface"
    >
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 py-3.5">
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          Behavior
        </h2>
        <Button size="small" onClick={() => setTesting(true)}>
          <FlaskConical size={16} aria-hidden />
          Test a visit
        </Button>
      </div>
      <div className="divide-y divide-line border-t border-line">
        <RulesRow link={link} userId={userId} />
        <ScheduleRow link={link} onEdit={() => onEdit('schedule')} />
        <BehaviorRow
          Icon={Lock}
          actions={
            <Button size="small" onClick={() => onEdit('access')}>
              {link.has_password ? 'Change' : 'Set'}
              <span className="sr-only"> the password</span>
            </Button>
          }
        >
          {link.has_password ? 'Visitors enter a password' : 'No password'}
        </BehaviorRow>
        <PopupUseRow link={link} userId={userId} onEdit={() => onEdit('link')} />
        <BehaviorRow
          Icon={ArrowRightLeft}
          detail={
            link.redirect_status === 302
              ? undefined
              : `Redirects with status ${link.redirect_status}`
          }
          actions={
            <Button size="small" onClick={() => onEdit('link')}>
              Change<span className="sr-only"> the forwarding of queries</span>
            </Button>
          }
        >
          {forwardingWords(link)}
        </BehaviorRow>
        <BehaviorRow
          Icon={MessageSquare}
          detail={link.show_preview_page ? undefined : 'The preview page is off'}
          actions={
            <Button size="small" onClick={() => onEdit('preview')}>
              Customize<span className="sr-only"> the preview</span>
            </Button>
          }
        >
          {previewWords(link)}
        </BehaviorRow>
        <BioUseRow link={link} userId={userId} />
        {link.archived_at === null ? null : (
          <BehaviorRow
            Icon={Archive}
            actions={
              <Button size="small" onClick={() => onEdit('link')}>
                Change<span className="sr-only"> the archive</span>
              </Button>
            }
          >
            Archived: hidden in your list, and still redirects
          </BehaviorRow>
        )}
        {link.note === null ? null : (
          <BehaviorRow
            Icon={StickyNote}
            actions={
              <Button size="small" onClick={() => onEdit('link')}>
                Change<span className="sr-only"> the note</span>
              </Button>
            }
          >
            <p dir="auto" className="font-normal whitespace-pre-wrap">
              {link.note}
            </p>
          </BehaviorRow>
        )}
      </div>
      <VisitSheet {...{ link, userId }} open={isTesting} onClose={() => setTesting(false)} />
    </section>
  )
}

const cleared = { starts_at: null, ends_at: null, max_clicks: null, fallback_url: null }

function ScheduleRow({ link, onEdit }: { link: LinkRow; onEdit: () => void }) {
  const update = useUpdateLink()
  const clearing = useAction(() => update(link, cleared))
  const [first = 'Never ends', ...others] = scheduleWords(link)
  const isSet = first !== 'Never ends'
  return (
    <BehaviorRow
      Icon={CalendarClock}
      detail={others.length === 0 ? undefined : others.map((words) => <p key={words}>{words}</p>)}
      actions={
        <>
          <Button size="small" onClick={onEdit}>
            {isSet ? 'Change' : 'Set an end'}
            {isSet ? <span className="sr-only"> the schedule</span> : null}
          </Button>
          {isSet ? (
            <Button size="small" busy={clearing.busy} onClick={() => clearing.run()}>
              Clear<span className="sr-only"> the schedule</span>
            </Button>
          ) : null}
        </>
      }
    >
      {first}
    </BehaviorRow>
  )
}
