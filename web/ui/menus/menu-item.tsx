import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'
import { popoverItemClass } from './popover.tsx'

interface MenuItemProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  Icon: LucideIcon
  name: string
}

/** A button in the panel of a popover, or in a sheet. */
export function MenuItem({ Icon, name, className = '', children, ...button }: MenuItemProps) {
  return (
    <button type="button" {...button} className={`${popoverItemClass} ${className}`}>
      <Icon size={17} aria-hidden />
      {name}
      {children}
    </button>
  )
}
