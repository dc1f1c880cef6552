import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import type { EditorTab } from './use-bio-editor.ts'

const tabs: readonly { tab: EditorTab; name: string }[] = [
  { tab: 'edit', name: 'Edit' },
  { tab: 'look', name: 'Look' },
  { tab: 'preview', name: 'Preview' },
]

interface EditorBarProps {
  tab: EditorTab
  onTab: (tab: EditorTab) => void
  changed: boolean
  saving: boolean
}

/**
 * Always in sight: on narrow screens the parts of the editor, and everywhere the way out and the save. On phones it
 * stands above the tab bar of the app.
 */
export function EditorBar({ tab, onTab, changed, saving }: EditorBarProps) {
  return (
    <div
      data-bottom-bar
      className="z-[5] flex items-center gap-1.5 border-t border-line bg-paper max-lg:fixed max-rail:inset-x-0 max-rail:bottom-[calc(3.5rem+var(--safe-bottom))] max-rail:px-2 max-rail:py-2 rail:gap-3 rail:max-lg:right-0 rail:max-lg:bottom-0 rail:max-lg:left-[calc(4rem+var(--safe-left))] rail:max-lg:px-9 rail:max-lg:py-2 lg:sticky lg:bottom-0 lg:py-3 low:static!"
    >
      <fieldset aria-label="Part of the editor" className="flex lg:hidden">
        {tabs.map(({ tab: each, name }) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === tab}
            onClick={() => onTab(each)}
            className="h-11 rounded-xl px-2.5 text-sm font-medium text-ink-soft transition-colors duration-150 aria-pressed:bg-sunken aria-pressed:text-ink rail:px-4"
          >
            {name}
          </button>
        ))}
      </fieldset>
      <output className="mr-auto min-w-0 truncate text-sm text-ink-faint max-rail:sr-only">
        {changed ? 'Unsaved changes' : ''}
      </output>
      <Link
        to={routes.dashboard.path}
        className={`${buttonClass('quiet')} max-rail:ml-auto max-rail:px-2!`}
      >
        Cancel
      </Link>
      <Button
        type="submit"
        look={changed ? 'accent' : 'plain'}
        busy={saving}
        className="max-rail:px-4!"
      >
        {saving ? 'Saving...' : 'Save'}
      </Button>
    </div>
  )
}
