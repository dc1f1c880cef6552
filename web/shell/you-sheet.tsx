import { Search } from 'lucide-react'
import { useRef } from 'react'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import { useClosingPresses } from '#web/ui/menus/use-closing-presses.ts'
import { MenuPanel } from './menu-panel.tsx'
import { site } from '#web/site.ts'
import { PlanMeter } from './plan-meter.tsx'

interface YouSheetProps {
  userId: string
  open: boolean
  onClose: () => void
  onFind: () => void
}

/** On phones: the search, the menu and the plan. */
export function YouSheet({ userId, open, onClose, onFind }: YouSheetProps) {
  const menu = useRef<HTMLDivElement>(null)
  useClosingPresses(menu, onClose)
  return (
    <Dialog open={open} onClose={onClose} title="You">
      <div className="-mx-3">
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
  )
}
