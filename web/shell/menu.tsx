import { Menu as MenuIcon } from 'lucide-react'
import { Popover } from '#web/ui/menus/popover.tsx'
import { MenuPanel } from './menu-panel.tsx'

export function Menu() {
  return (
    <Popover label="Menu" icon={<MenuIcon size={20} aria-hidden />} className="w-64">
      <MenuPanel />
    </Popover>
  )
}
