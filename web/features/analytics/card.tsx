import { type HTMLAttributes, type ReactNode, useId } from 'react'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { reportTexts } from './report-words.ts'

interface CardProps {
  title: string
  /** At the right of the title. */
  actions?: ReactNode
  className?: string | undefined
  children: ReactNode
}

/** One part of a report. */
export function Card({ title, actions, className = '', children }: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={`min-w-0 rounded-2xl border border-line bg-surface p-4 sm:p-5 ${className}`}
    >
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-1 pointer-coarse:min-h-11">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

interface PartProps<Data> {
  query: {
    data: Data | undefined
    isError: boolean
    isPlaceholderData: boolean
    refetch: () => Promise<unknown>
  }
  failed?: string
  loading: string
  /** As high as the coming content. */
  skeleton: ReactNode
  children: (data: Data) => ReactNode
}

/** State of a part's query. The former answer stays, fainter, until the new one comes. */
export function Part<Data>(props: PartProps<Data>) {
  const { query, failed = reportTexts.listFailed, loading, skeleton, children } = props
  if (query.data !== undefined)
    return (
      <div
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'opacity-60 transition-opacity duration-150' : ''}
      >
        {children(query.data)}
      </div>
    )
  if (query.isError)
    return (
      <FailedLine
        retry={() => void query.refetch()}
        className="flex-wrap justify-between gap-3 py-2 text-ink-soft"
      >
        {failed}
      </FailedLine>
    )
  return (
    <>
      <output className="sr-only">{loading}</output>
      <div aria-hidden>{skeleton}</div>
    </>
  )
}

interface ReportCardProps<Data> extends Omit<CardProps, 'children'>, PartProps<Data> {
  /** What is around the content, for example its height. */
  body?: HTMLAttributes<HTMLElement>
}

/** A card with content that a query brings. */
export function ReportCard<Data>(props: ReportCardProps<Data>) {
  const { title, actions, className, body, ...part } = props
  return (
    <Card {...{ title, actions, className }}>
      <div {...body}>
        <Part {...part} />
      </div>
    </Card>
  )
}
