import { isLongShortLink } from '#domain/short-codes.ts'
import { site } from '#web/site.ts'

/** The short link, as large as its length allows. */
export function LinkTitle({ code }: { code: string }) {
  return (
    <h1
      // An attribute, which the server can fill into the prerendered page.
      data-long={isLongShortLink(site.host, code)}
      className="min-w-0 font-mono text-3xl leading-tight font-medium tracking-[-0.03em] wrap-anywhere data-[long=false]:lg:text-5xl"
    >
      <span className="font-normal text-ink-faint">{site.host}/</span>
      <wbr />
      {code}
    </h1>
  )
}
