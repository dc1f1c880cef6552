import { useId, type ReactNode } from 'react'

interface SettingsSectionProps {
  title: string
  intro?: ReactNode
  children: ReactNode
}

/** The person of the settings. */
export interface TabProps {
  userId: string
  email: string
}

/** One card of the settings. */
export function SettingsSection({ title, intro, children }: SettingsSectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="mb-5 rounded-2xl border border-line bg-surface p-5 sm:p-7"
    >
      <h2 id={id} className="text-xl font-semibold tracking-tight">
        {title}
      </h2>
      {intro === undefined ? null : (
        <div className="mt-1.5 leading-relaxed text-ink-soft text-pretty">{intro}</div>
      )}
      <div className="mt-5">{children}</div>
    </section>
  )
}

interface SettingsEntryProps {
  name: ReactNode
  facts: ReactNode
  action?: ReactNode
}

/** A row of a list in a card. */
export function SettingsEntry({ name, facts, action }: SettingsEntryProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2.5 border-t border-line py-4 first:border-t-0 first:pt-0 last:pb-0">
      <div className="min-w-0 grow basis-52">
        <p className="font-medium wrap-anywhere">{name}</p>
        <div className="mt-0.5 text-sm text-ink-soft wrap-anywhere">{facts}</div>
      </div>
      {action}
    </li>
  )
}
