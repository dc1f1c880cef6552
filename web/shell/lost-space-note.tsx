import { routes } from '#domain/routes.ts'
import { spaceTexts } from '#domain/texts/space-texts.ts'
import { buttonClass } from '#web/ui/button.tsx'

/** At the lower edge of a screen with input, once the person is no member any more. */
export function LostSpaceNote() {
  return (
    <div
      role="alert"
      data-bottom-bar
      className="fixed inset-x-0 bottom-0 z-20 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line bg-accent-wash px-4 py-2 text-sm sm:px-6 rail:px-9 max-rail:bottom-[calc(3.5rem+var(--safe-bottom))]"
    >
      <span>{spaceTexts.lost}</span>
      <a href={routes.dashboard.path} className={buttonClass('plain', 'small')}>
        Go to your links
      </a>
    </div>
  )
}
