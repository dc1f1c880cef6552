import { useId, type InputHTMLAttributes, type ReactNode, type Ref } from 'react'

const common =
  'w-full min-w-0 border border-edge text-ink transition-colors duration-150 hover:border-ink-faint aria-invalid:border-danger'

export const inputClass = `${common} h-11 rounded-xl bg-surface px-3.5 text-base`

const largeClass = `${common} h-14 rounded-xl bg-paper px-4 text-base sm:px-5`

/** With a leading part the border belongs to the box around both. */
const boxClass =
  'flex items-center rounded-xl border border-edge bg-surface transition-colors duration-150 hover:border-ink-faint ' +
  'has-aria-invalid:border-danger has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-[var(--focus)]'
const boxedClass = 'w-20 min-w-0 grow bg-transparent pr-3.5 text-base text-ink outline-none'

/** A text that the browser neither completes nor corrects. */
export const verbatim = {
  autoComplete: 'off',
  autoCapitalize: 'off',
  autoCorrect: 'off',
  spellCheck: false,
} as const
const kinds = {
  verbatim,
  url: { ...verbatim, type: 'url', inputMode: 'url' },
  email: { ...verbatim, type: 'email', inputMode: 'email' },
} as const

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'size'> {
  label: string
  /** Only for assistive technology: on the screen the field speaks for itself. */
  hideLabel?: boolean
  note?: string | undefined
  hint?: ReactNode
  error?: string | undefined
  /** Inside the field, before the input: a text, or another control. */
  leading?: ReactNode
  /** Inside the field, at its end. */
  trailing?: ReactNode
  size?: 'medium' | 'large'
  /** An address, or another text that the browser neither completes nor corrects. */
  kind?: keyof typeof kinds
  ref?: Ref<HTMLInputElement>
}

/** A labeled input; its hint and error are announced with it. */
export function Field(props: FieldProps) {
  const {
    label,
    hideLabel,
    note,
    hint,
    error,
    leading,
    trailing,
    size,
    kind,
    className,
    ...input
  } = props
  const id = useId()
  const hasHint = hint !== undefined && hint !== null
  const describedBy = [hasHint ? `${id}-hint` : '', error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ')
  const boxed = `${boxedClass} ${size === 'large' ? 'h-13.5' : 'h-11'}`
  const look = leading !== undefined ? boxed : size === 'large' ? largeClass : inputClass
  // Below a large field, hint and error begin where its text does.
  const noteClass = size === 'large' ? 'px-4 sm:px-5' : ''
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1.5">
      <label
        htmlFor={id}
        className={
          hideLabel === true ? 'sr-only' : 'flex items-baseline justify-between text-sm font-medium'
        }
      >
        {label}
        {note === undefined ? null : <span className="font-normal text-ink-faint">{note}</span>}
      </label>
      <div className={leading === undefined ? 'relative' : boxClass}>
        {leading === undefined ? null : <LeadingPart>{leading}</LeadingPart>}
        <input
          {...(kind && kinds[kind])}
          {...input}
          id={id}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={describedBy === '' ? undefined : describedBy}
          className={`${look} ${trailing === undefined ? '' : 'pr-12'} ${className ?? ''}`}
        />
        {trailing === undefined ? null : (
          <div className="absolute inset-y-0 right-0.5 flex items-center">{trailing}</div>
        )}
      </div>
      {hasHint ? (
        <p id={`${id}-hint`} className={`${noteClass} text-sm text-ink-faint`}>
          {hint}
        </p>
      ) : null}
      <FieldError id={`${id}-error`} error={error} className={noteClass} />
    </div>
  )
}

/** The text before the input of a field. */
export function LeadingPart({ children }: { children: ReactNode }) {
  if (typeof children !== 'string') return children
  return (
    <span aria-hidden className="max-w-[55%] truncate pl-3.5 font-mono text-ink-faint">
      {children}
    </span>
  )
}

interface FieldErrorProps {
  id: string
  error: string | undefined
  className?: string
}

export function FieldError({ id, error, className = '' }: FieldErrorProps) {
  return error === undefined ? null : (
    <p id={id} className={`${className} text-sm text-danger`}>
      {error}
    </p>
  )
}
