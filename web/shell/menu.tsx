import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Popover } from '#web/ui/menus/popover.tsx'
import { MenuEntry, menuItems } from './menu-entries.tsx'
import { planItems } from './plan-items.ts'

const MenuPanel = lazy(async () => ({ default: (await import('./menu-panel.tsx')).MenuPanel }))

/** The menu of visitors, and of people who are signed in. */
export function Menu({ isMember = false }: { isMember?: boolean }) {
  return (
    <Popover label="Menu" icon={<MenuIcon size={20} aria-hidden />} className="w-64">
      {isMember ? (
        <Suspense fallback={<div aria-hidden className="h-80" />}>
          <MenuPanel />
        </Suspense>
      ) : (
        <nav aria-label="Main">
          <ul>
            {[...menuItems, ...planItems()].map((item) => (
              <MenuEntry key={item.name} {...item} />
            ))}
          </ul>
        </nav>
      )}
    </Popover>
  )
}
