import { HopPrint } from '#web/hop-print.tsx'
import { shownCode } from '#web/shown-link.ts'

interface NamedLink {
  code: string
  /** Null or undefined: the link has none, or it is not known. */
  title: string | null | undefined
}

interface LinkNameProps extends NamedLink {
  /** In one line, the code behind the title; otherwise below it. */
  isInline?: boolean
  /** Without the print, where a row already has a picture. */
  isPlain?: boolean
  className?: string
}

/** The name of a link wherever one chooses or reads it: its print, its title, its code. The title is cut first. */
export function LinkName({ code, title, isInline, isPlain, className = '' }: LinkNameProps) {
  return (
    <span
      title={linkWords({ code, title })}
      className={`flex min-w-0 items-center gap-2.5 ${className}`}
    >
      {isPlain === true ? null : (
        <HopPrint code={code} width={32} height={28} className="shrink-0" />
      )}
      <span className={`min-w-0 ${isInline === true ? 'flex items-baseline gap-2' : 'grid'}`}>
        {isTitled(title) ? (
          <>
            <bdi className="min-w-0 truncate">{title}</bdi>
            <span
              className={`font-mono text-xs text-ink-faint ${isInline === true ? 'max-w-2/3 shrink-0 truncate' : 'wrap-anywhere'}`}
            >
              {shownCode(code)}
            </span>
          </>
        ) : (
          <span className={`font-mono ${isInline === true ? 'truncate' : 'wrap-anywhere'}`}>
            {shownCode(code)}
          </span>
        )}
      </span>
    </span>
  )
}

/** Title and code, for the names of controls. */
export function linkWords({ code, title }: NamedLink): string {
  return isTitled(title) ? `${title}, ${shownCode(code)}` : shownCode(code)
}

function isTitled(title: string | null | undefined): title is string {
  return title !== null && title !== undefined && title !== ''
}
