import { pillClass } from '#web/ui/pill.ts'
import type { Live } from './use-live.ts'

const words: Record<Exclude<Live['status'], 'none'>, { name: string; title: string }> = {
  live: { name: 'Live', title: 'The figures move with each click. Press to pause.' },
  connecting: { name: 'Live', title: 'Connecting.' },
  waiting: { name: 'Reconnecting', title: 'The connection was lost, and is tried again.' },
  paused: { name: 'Live', title: 'Paused. Press to follow the clicks again.' },
  stopped: { name: 'Not live', title: 'No live clicks come from this server.' },
}

/** Whether the figures move by themselves. */
export function LivePill({ live: { status, toggle } }: { live: Live }) {
  if (status === 'none') return null
  const { name, title } = words[status]
  const isLive = status === 'live'
  return (
    <button
      type="button"
      role="switch"
      aria-checked={status !== 'paused'}
      disabled={status === 'stopped'}
      title={title}
      onClick={toggle}
      className={`${pillClass} border-transparent! px-2! aria-[checked=false]:text-ink-faint disabled:cursor-default`}
    >
      <span aria-hidden className="relative grid size-3 place-items-center">
        {isLive ? (
          <span className="absolute inset-0 animate-ping rounded-full bg-good/40 motion-reduce:hidden" />
        ) : null}
        <span className={`size-2 rounded-full ${isLive ? 'bg-good' : 'bg-edge'}`} />
      </span>
      {name}
      <span className="sr-only">. {title}</span>
    </button>
  )
}
