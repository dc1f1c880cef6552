import type { ReactNode } from 'react'

/** The address of a short link, its host fainter than its code. */
export function TagAddress({ host, code }: { host: string; code: ReactNode }) {
  return (
    <>
      <span className="font-normal text-ink-faint">{host}/</span>
      <wbr />
      {code}
    </>
  )
}
