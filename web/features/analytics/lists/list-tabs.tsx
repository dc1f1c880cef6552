import { type KeyboardEvent, type ReactNode, useId } from 'react'

interface ListTabsProps<Tab extends { name: string }> {
  label: string
  tabs: readonly Tab[]
  open: Tab
  onOpen: (tab: Tab) => void
  /** At the right end of the tabs. */
  action?: ReactNode
  children: ReactNode
}

/** Tabs over one panel. The arrow keys open the neighbors. */
export function ListTabs<Tab extends { name: string }>(props: ListTabsProps<Tab>) {
  const { label, tabs, open, onOpen, action, children } = props
  const id = useId()

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const at = tabs.indexOf(open)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = tabs[(to + tabs.length) % tabs.length]
    if (next === undefined) return
    onOpen(next)
    document.getElementById(tabId(id, next.name))?.focus()
  }

  return (
    <div className="p-3 sm:p-4">
      <div className="mb-1.5 flex items-center gap-1">
        {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the open tab has the focus */}
        <div
          role="tablist"
          aria-label={label}
          onKeyDown={onKeyDown}
          className="flex min-w-0 grow gap-0.5 overflow-x-auto mask-r-from-[calc(100%-1.25rem)] pr-5 [scrollbar-width:none]"
        >
          {tabs.map((tab) => {
            const isOpen = tab === open
            return (
              <button
                key={tab.name}
                id={tabId(id, tab.name)}
                type="button"
                role="tab"
                aria-selected={isOpen}
                aria-controls={`${id}-panel`}
                tabIndex={isOpen ? 0 : -1}
                onClick={() => onOpen(tab)}
                className="h-8 shrink-0 rounded-md px-2 text-sm text-ink-soft transition-colors duration-150 hover:text-ink aria-selected:font-semibold aria-selected:text-ink not-aria-selected:hover:bg-sunken pointer-coarse:h-11"
              >
                {tab.name}
              </button>
            )
          })}
        </div>
        {action}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={tabId(id, open.name)}>
        {children}
      </div>
    </div>
  )
}

function tabId(id: string, name: string): string {
  return `${id}-${name.replaceAll(/\W/g, '')}`
}
