import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, ChevronDown, X } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import { IconButton } from '#web/ui/button.tsx'
import { checklistMemory, rememberAway, rememberQrCode } from '#web/session/checklist-memory.ts'
import { begunQuery } from './checklist-query.ts'

const steps = [
  {
    name: 'link',
    title: 'Shorten a link',
    text: 'Paste a URL, choose a code or let us.',
  },
  {
    name: 'qrCode',
    title: 'Get its QR code',
    text: 'Download it from any link, in your color.',
  },
  {
    name: 'bioPage',
    title: 'Build your bio page',
    text: 'All your links behind one address.',
  },
  {
    name: 'popup',
    title: 'Create a popup',
    text: 'Show an offer before the redirect.',
  },
] as const

type StepName = (typeof steps)[number]['name']

/** Where each step is done: the QR code is that of the newest link, once there is one. */
function placesOf(newestCode: string | null) {
  const home = { to: routes.home.path } as const
  return {
    link: home,
    qrCode:
      newestCode === null
        ? home
        : ({ to: routes.link.path, params: { code: newestCode }, hash: 'qr' } as const),
    bioPage: { to: routes.bioLink.path },
    popup: { to: routes.popupGenerator.path },
  } as const satisfies Record<StepName, object>
}

/** For as many days the first steps are shown after the first link. */
const maxDays = 7

/** Whether the contents of the checklist are known: the parts below it wait for that, so that nothing moves. */
export function useChecklistReady(userId: string): boolean {
  const [isAway] = useState(() => checklistMemory(userId).away === true)
  const { isPending } = useQuery({ ...begunQuery(userId), enabled: !isAway })
  return isAway || !isPending
}

interface ChecklistProps {
  userId: string
  email: string
  onDismissed: () => void
}

/**
 * First steps for a new account: a list until the first link, one line afterwards. It ticks itself, and goes when all is
 * done, a week after the first link, or when it is dismissed.
 */
export function Checklist({ userId, email, onDismissed }: ChecklistProps) {
  const mayWrite = useRights()('links:write')
  const [memory, setMemory] = useState(() => checklistMemory(userId))
  const { data, isError } = useQuery({ ...begunQuery(userId), enabled: memory.away !== true })
  const [isUnfolded, setUnfolded] = useState(false)
  const id = useId()
  const done = data && { ...data, qrCode: data.qrCode || memory.qrCode === true }
  const count = steps.filter(({ name }) => done?.[name]).length
  const isOver = count === steps.length || (data?.daysSinceFirstLink ?? 0) > maxDays

  useEffect(() => {
    if (isOver) rememberAway(userId)
    // The server's count is of today alone.
    else if (data?.qrCode) rememberQrCode(userId)
  }, [isOver, data?.qrCode, userId])

  const isHidden = memory.away === true || isOver || !mayWrite
  if (isHidden || done === undefined || isError) return null
  const next = steps.find(({ name }) => !done[name])
  const places = placesOf(done.newestCode)
  const isOpen = isUnfolded || !done.link
  return (
    <section aria-labelledby={id} className="mb-4 rounded-2xl border border-line bg-surface">
      <div className="flex min-h-12 items-center gap-2 pr-1 pl-4">
        <h2 id={id} className="text-sm font-semibold whitespace-nowrap">
          First steps
        </h2>
        <p className="min-w-0 grow truncate text-sm text-ink-faint tabular-nums">
          {count} of {steps.length} done
          {next === undefined || isOpen ? null : (
            <>
              {': '}
              <Link
                {...places[next.name]}
                className="font-medium text-ink underline-offset-4 hover:underline"
              >
                {next.title}
              </Link>
            </>
          )}
        </p>
        {done.link ? (
          <IconButton
            label={isOpen ? 'Fold first steps' : 'Show first steps'}
            aria-expanded={isOpen}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <ChevronDown size={17} aria-hidden className={isOpen ? 'rotate-180' : ''} />
          </IconButton>
        ) : null}
        <IconButton
          label="Dismiss first steps"
          onClick={() => {
            rememberAway(userId)
            setMemory(checklistMemory(userId))
            onDismissed()
          }}
        >
          <X size={17} aria-hidden />
        </IconButton>
      </div>
      {isOpen ? <Steps {...{ done, places }} /> : null}
      {done.needsAdmin ? <AdminNote email={email} /> : null}
    </section>
  )
}

interface StepsProps {
  done: Readonly<Record<StepName, boolean>>
  places: ReturnType<typeof placesOf>
}

function Steps({ done, places }: StepsProps) {
  return (
    <ol className="grid gap-px overflow-hidden rounded-b-2xl border-t border-line bg-line sm:grid-cols-2 xl:grid-cols-4">
      {steps.map(({ name, title, text }) => (
        <li key={name} className="bg-surface">
          <Link
            {...places[name]}
            className="flex h-full min-h-11 gap-3 px-4 py-3 -outline-offset-2 hover:bg-sunken"
          >
            <Tick isDone={done[name]} />
            <span className="grid content-start gap-0.5">
              <span className={`font-medium ${done[name] ? 'text-ink-faint' : ''}`}>{title}</span>
              <span className="hidden text-sm text-pretty text-ink-faint sm:block">{text}</span>
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}

/** The first account of a server belongs to the person who runs it. */
function AdminNote({ email }: { email: string }) {
  return (
    <p className="border-t border-line px-4 py-3 text-sm text-ink-soft">
      This server has no admin yet. To become one, run on its machine:{' '}
      <code className="font-mono wrap-anywhere text-ink">npm run admin -- {email}</code>
    </p>
  )
}

function Tick({ isDone }: { isDone: boolean }) {
  return (
    <span
      className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-full border ${isDone ? 'border-transparent bg-ink text-paper' : 'border-edge'}`}
    >
      {isDone ? <Check size={13} strokeWidth={3} aria-hidden /> : null}
      <span className="sr-only">{isDone ? 'Done:' : 'To do:'}</span>
    </span>
  )
}
