import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { IconButton } from '#web/ui/button.tsx'
import { checklistMemory, rememberAway, rememberQrCode } from './checklist-memory.ts'
import { begunQuery } from './checklist-query.ts'

const steps = [
  {
    name: 'link',
    title: 'Shorten a link',
    text: 'Paste a long address, pick the words or let us.',
    to: routes.home.path,
  },
  {
    name: 'qrCode',
    title: 'Get its QR code',
    text: 'In your color, right under the new short link.',
    to: routes.home.path,
  },
  {
    name: 'bioPage',
    title: 'Build your bio page',
    text: 'All your links behind one address.',
    to: routes.bioLink.path,
  },
  {
    name: 'popup',
    title: 'Create a popup',
    text: 'A word to your visitors before they go on.',
    to: routes.popupGenerator.path,
  },
] as const

interface ChecklistProps {
  userId: string
  onDismissed: () => void
}

/** First steps for a new account. It ticks itself, and goes when all is done or when it is sent away. */
export function Checklist({ userId, onDismissed }: ChecklistProps) {
  const [memory, setMemory] = useState(() => checklistMemory(userId))
  const { data, isError } = useQuery({ ...begunQuery(userId), enabled: memory.away !== true })
  const done = data && { ...data, qrCode: data.qrCode || memory.qrCode === true }
  const count = steps.filter(({ name }) => done?.[name]).length
  const isComplete = count === steps.length

  useEffect(() => {
    if (isComplete) rememberAway(userId)
    // The server's count is of today alone.
    else if (data?.qrCode) rememberQrCode(userId)
  }, [isComplete, data?.qrCode, userId])

  // Rendered from the start, unticked, so that nothing below it moves when the answers come.
  if (memory.away === true || isError || isComplete) return null
  return (
    <section
      aria-labelledby="checklist"
      aria-busy={done === undefined}
      className="mt-6 rounded-3xl border border-line bg-surface"
    >
      <div className="flex items-center gap-3 py-2 pr-3 pl-5 sm:pl-6">
        <h2 id="checklist" className="font-semibold tracking-tight">
          First steps
        </h2>
        <p className="grow text-sm text-ink-faint tabular-nums">
          {done === undefined ? '' : `${count} of ${steps.length} done`}
        </p>
        <IconButton
          label="Dismiss the first steps"
          onClick={() => {
            rememberAway(userId)
            setMemory(checklistMemory(userId))
            onDismissed()
          }}
        >
          <X size={17} aria-hidden />
        </IconButton>
      </div>
      <ol className="grid gap-px overflow-hidden rounded-b-3xl border-t border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ name, title, text, to }) => (
          <li key={name} className="bg-surface">
            <Link
              to={to}
              className="flex h-full gap-3 px-5 py-3.5 -outline-offset-2 hover:bg-sunken sm:px-6 sm:py-4"
            >
              <Tick isDone={done?.[name] === true} />
              <span className="grid content-start gap-0.5">
                <span
                  className={`font-medium ${done?.[name] === true ? 'text-ink-faint line-through' : ''}`}
                >
                  {title}
                </span>
                <span className="hidden text-sm text-pretty text-ink-faint sm:block">{text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Tick({ isDone }: { isDone: boolean }) {
  return (
    <span
      className={`mt-0.5 grid size-5.5 shrink-0 place-items-center rounded-full border ${isDone ? 'border-transparent bg-accent text-accent-ink' : 'border-edge'}`}
    >
      {isDone ? <Check size={14} strokeWidth={3} aria-hidden /> : null}
      <span className="sr-only">{isDone ? 'Done:' : 'To do:'}</span>
    </span>
  )
}
