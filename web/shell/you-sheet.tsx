import { Search } from 'lucide-react'
import { lazy, Suspense, useRef } from 'react'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import { useClosingPresses } from '#web/ui/menus/use-closing-presses.ts'
import { MenuPanel } from './menu-panel.tsx'
import { site } from '#web/site.ts'
import { useCreateSpace } from '#web/spaces/account-switcher.tsx'
import { PlanMeter } from './plan-meter.tsx'

const PersonAccounts = lazy(async () => ({
  default: (await import('#web/spaces/account-menu.tsx')).PersonAccounts,
}))

interface YouSheetProps {
  userId: string
  personId: string
  email: string
  open: boolean
  onClose: () => void
  onFind: () => void
}

/** On phones: the search, the menu and the plan. */
export function YouSheet({ userId, personId, email, open, onClose, onFind }: YouSheetProps) {
  const creation = useCreateSpace()
  const menu = useRef<HTMLDivElement>(null)
  useClosingPresses(menu, onClose)
  const createSpace = () => {
    onClose()
    creation.open()
  }
  return (
    <>
      <Dialog open={open} onClose={onClose} title="You">
        <div className="-mx-3">
          <div className="mb-3 border-b border-line pb-3">
            <Suspense fallback={<div aria-hidden className="h-32" />}>
              <PersonAccounts personId={personId} email={email} onCreate={createSpace} />
            </Suspense>
          </div>
          <button type="button" onClick={onFind} className={popoverItemClass}>
            <Search size={17} aria-hidden />
            Find anything
          </button>
          <div ref={menu}>
            <MenuPanel />
          </div>
        </div>
        {site.hasPlans ? (
          <div className="mt-4">
            <PlanMeter userId={userId} />
          </div>
        ) : null}
      </Dialog>
      {creation.dialog}
    </>
  )
}
