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
        d="M6 23C7.5 2.5 21.5 -0.5 25.2 15.4"
        stroke="currentColor"
        strokeWidth="3.2"
        strokeLinecap="round"
        opacity={hopping ? 0.2 : 1}
      />
      <circle cx="6" cy="25" r="4" fill="currentColor" opacity={hopping ? 0.2 : 1} />
      <circle
        cx="26"
        cy="25"
        r="4"
        fill={hopping ? 'currentColor' : 'var(--accent)'}
        opacity={hopping ? 0.2 : 1}
      />
      {hopping ? (
        <circle
          r="4"
          fill="var(--accent)"
          style={{
            offsetPath: 'path("M6 25C8 -1 24 -1 26 25")',
            animation: 'hop 700ms cubic-bezier(0.45, 0, 0.55, 1) infinite alternate',
          }}
        />
      ) : null}
    </svg>
  )
}

/** Shown in the place of something that is loading. */
export function Loading({ label }: { label: string }) {
  return (
    <output className="grid place-items-center gap-3 py-24 text-sm text-ink-faint">
      <Mark size={40} hopping className="text-ink" />
      {label}
    </output>
  )
}
