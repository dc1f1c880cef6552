import { shownParts } from '#web/shown-link.ts'
import { TagAddress } from '../tag-address.tsx'

/** The short link as the title of its page. */
export function LinkTitle({ code }: { code: string }) {
  const { host, name } = shownParts(code)
  return (
    <h1 className="mt-2 font-mono text-3xl font-medium tracking-[-0.03em] text-wrap wrap-anywhere rail:text-4xl">
      {/* A phone has room for as many letters: the code does not break at a hyphen. */}
      <TagAddress
        host={host}
        code={<span className={name.length <= 16 ? 'whitespace-nowrap' : ''}>{name}</span>}
      />
    </h1>
  )
}
