import { TagAddress } from '../link-tag.tsx'

/** The short link as the title of its page. */
export function LinkTitle({ code }: { code: string }) {
  return (
    <h1 className="mt-2 font-mono text-3xl font-medium tracking-[-0.03em] text-wrap wrap-anywhere rail:text-4xl">
      {/* A phone has room for as many letters: the code does not break at a hyphen. */}
      <TagAddress
        code={<span className={code.length <= 16 ? 'whitespace-nowrap' : ''}>{code}</span>}
      />
    </h1>
  )
}
