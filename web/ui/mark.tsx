interface MarkProps {
  size?: number
  className?: string
  /** Lets the dot hop along the arc, as a sign that something is loading. */
  hopping?: boolean
}

/** An arc hopping between two dots. public/favicon.svg draws the same. */
export function Mark({ size = 28, className, hopping = false }: MarkProps) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      fill="none"
      aria-hidden
      className={className}
    >
      <path
        d="M6.5 18.5C8 3.5 24 3.5 25.5 18.5"
        stroke="currentColor"
        strokeWidth="3.2"
        strokeLinecap="round"
        opacity={hopping ? 0.2 : 1}
      />
      <circle cx="6.5" cy="25" r="3.6" fill="currentColor" opacity={hopping ? 0.2 : 1} />
      <circle
        cx="25.5"
        cy="25"
        r="3.6"
        fill={hopping ? 'currentColor' : 'var(--accent)'}
        opacity={hopping ? 0.2 : 1}
      />
      {hopping ? (
        <circle
          r="3.6"
          fill="var(--accent)"
          style={{
            offsetPath: 'path("M6.5 25C8 2 24 2 25.5 25")',
            animation: 'hop 700ms cubic-bezier(0.45, 0, 0.55, 1) infinite alternate',
          }}
        />
      ) : null}
    </svg>
  )
}

/** What stands in the place of something that is still loading. */
export function Loading({ label }: { label: string }) {
  return (
    <output className="grid place-items-center gap-3 py-24 text-sm text-ink-faint">
      <Mark size={40} hopping className="text-ink" />
      {label}
    </output>
  )
}
