import { BookOpen, Braces, Mail, Sparkles, Terminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { KeyList } from '#web/key-list.tsx'
import { site } from '#web/site.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'

const documents = [
  ['Links', '/docs/links'],
  ['Analytics', '/docs/analytics'],
  ['API', '/docs/api'],
  ['Webhooks', '/docs/webhooks'],
  ['Agents', '/docs/mcp'],
  ['Security', '/docs/security'],
] as const

/** Shortcuts, documentation, news, contact and version. */
export function HelpScreen() {
  useTitle('Help · Hoplet')
  return (
    <Screen title="Help" intro="Shortcuts, documentation and news.">
      <div className="grid items-start gap-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid gap-8">
          <section>
            <h2 className="mb-3 text-xl font-semibold tracking-tight">Documentation</h2>
            <ul className="grid gap-3 sm:grid-cols-2">
              <Place href="/docs" Icon={BookOpen} name="All documents" hint="Use it and run it." />
              <Place
                href={routes.reference.path}
                Icon={Braces}
                name="API reference"
                hint="All endpoints, ready to try."
              />
              <Place
                href="/docs/changelog"
                Icon={Sparkles}
                name="What’s new"
                hint="The changes of each version."
              />
              <Place
                href="/docs/self-hosting"
                Icon={Terminal}
                name="Self-hosting"
                hint="From a new machine to backups."
              />
            </ul>
            <ul className="mt-4 flex flex-wrap gap-x-6 text-sm">
              {documents.map(([name, href]) => (
                <li key={href}>
                  <a
                    href={href}
                    className="flex min-h-10 items-center underline-offset-4 hover:underline pointer-coarse:min-h-11"
                  >
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </section>
          <section>
            <h2 className="mb-3 text-xl font-semibold tracking-tight">Contact</h2>
            {site.contact === '' ? (
              <p className="text-ink-soft">This server names no contact. Ask its operator.</p>
            ) : (
              <p className="flex items-center gap-2.5">
                <Mail size={17} aria-hidden className="text-ink-faint" />
                <a
                  href={`mailto:${site.contact}`}
                  className="underline underline-offset-4 wrap-anywhere"
                >
                  {site.contact}
                </a>
              </p>
            )}
            <p className="mt-3 text-sm text-ink-faint">Hoplet {site.version}, open source.</p>
          </section>
        </div>
        <section className="rounded-2xl border border-line bg-surface p-5">
          <h2 className="mb-4 text-base font-semibold">Keyboard shortcuts</h2>
          <KeyList />
        </section>
      </div>
    </Screen>
  )
}

interface PlaceProps {
  href: string
  Icon: typeof BookOpen
  name: string
  hint: ReactNode
}

function Place({ href, Icon, name, hint }: PlaceProps) {
  return (
    <li>
      <a
        href={href}
        className="flex h-full gap-3 rounded-2xl border border-line bg-surface p-4 transition-colors duration-150 hover:border-edge"
      >
        <Icon size={18} aria-hidden className="mt-0.5 shrink-0 text-ink-faint" />
        <span>
          <span className="block font-medium">{name}</span>
          <span className="block text-sm text-ink-soft">{hint}</span>
        </span>
      </a>
    </li>
  )
}
