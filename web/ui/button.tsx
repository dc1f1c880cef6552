import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'

type Look = 'accent' | 'ink' | 'plain' | 'quiet' | 'danger'
type Size = 'small' | 'medium' | 'large'

const base =
  'inline-flex shrink-0 select-none items-center justify-center gap-2 rounded-xl font-medium whitespace-nowrap ' +
  'transition-[background-color,border-color,color,transform] duration-150 active:translate-y-px ' +
  'disabled:cursor-not-allowed aria-disabled:cursor-not-allowed'

const looks: Record<Look, string> = {
  accent:
    'bg-accent text-accent-ink not-disabled:hover:bg-accent-strong disabled:bg-sunken disabled:text-ink-faint',
  ink: 'bg-ink text-paper not-disabled:hover:bg-ink/86 disabled:bg-sunken disabled:text-ink-faint',
  plain:
    'border border-line bg-surface text-ink not-disabled:hover:border-edge disabled:text-ink-faint',
  quiet:
    'text-ink-soft not-disabled:hover:bg-sunken not-disabled:hover:text-ink disabled:text-ink-faint',
  danger:
    'border border-danger/40 bg-danger-wash text-danger not-disabled:hover:border-danger disabled:opacity-60',
}

const sizes: Record<Size, string> = {
  small: 'h-9 px-3 text-sm pointer-coarse:h-11',
  medium: 'h-11 px-5 text-sm',
  large: 'h-14 px-7 text-base',
}

/** The classes of a button, for links that look like one. */
export function buttonClass(look: Look = 'plain', size: Size = 'medium'): string {
  return `${base} ${looks[look]} ${sizes[size]}`
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  size?: Size
  ref?: Ref<HTMLButtonElement>
  /** Locks the button without taking the focus away from it, as `disabled` would. */
  busy?: boolean
}

export function Button({ look, size, busy, type, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type ?? 'button'}
      aria-disabled={busy === true ? true : undefined}
      onClick={(event) => {
        if (busy === true) event.preventDefault()
        else onClick?.(event)
      }}
      className={`${buttonClass(look, size)} ${className ?? ''}`}
    />
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string
  children: ReactNode
}

export const iconButtonClass =
  'inline-grid size-10 shrink-0 place-items-center rounded-xl text-ink-soft pointer-coarse:size-11 transition-colors duration-150 ' +
  'hover:bg-sunken hover:text-ink disabled:opacity-60'

/** A button that shows only an icon; assistive technology and the tooltip have its label. */
export function IconButton({ label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`${iconButtonClass} ${className ?? ''}`}
    />
  )
}
