import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { adminQuery } from '#web/session/role.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { popoverItemClass } from '#web/ui/popover.tsx'
import { accountItems, adminItem, mainItems } from './navigation.ts'
import { PlanMeter } from './plan-meter.tsx'

interface MoreSheetProps {
  userId: string
  open: boolean
  onClose: () => void
  onFind: () => void
}

/** On phones: entries without room in the tab bar. */
export function MoreSheet({ userId, open, onClose, onFind }: MoreSheetProps) {
  const isAdmin = useQuery(adminQuery(userId)).data === true
  const items = [...mainItems, ...accountItems, ...(isAdmin ? [adminItem] : [])]
  return (
    <Dialog open={open} onClose={onClose} title="More">
      <nav aria-label="All screens" className="-mx-3 grid gap-0.5">
        <button type="button" onClick={onFind} className={`${popoverItemClass} min-h-11!`}>
          <Search size={18} aria-hidden />
          Find anything
        </button>
        {items.map(({ name, to, Icon }) => (
          <Link
            key={to}
            to={to}
            onClick={() => {
              if (isAdmin && to !== adminItem.to) leaveAdmin(userId)
              onClose()
            }}
            preload={false}
            activeOptions={{ exact: true, includeSearch: false }}
            className={`${popoverItemClass} min-h-11!`}
          >
            <Icon size={18} aria-hidden />
            {name}
          </Link>
        ))}
      </nav>
      <div className="mt-4">
        <PlanMeter userId={userId} />
      </div>
    </Dialog>
  )
}
