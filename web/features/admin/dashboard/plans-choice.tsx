import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { site } from '#web/site.ts'
import { readStored, writeStored } from '#web/stored.ts'

const storedKey = 'hoplet.plans-choice'

/** For the admin of a server that sells nothing, until it was read: plans can be switched off. */
export function PlansChoice() {
  const [isRead, setRead] = useState(() => readStored('localStorage', storedKey) !== null)
  if (!site.hasPlans || site.payments === 'stripe' || isRead) return null
  const close = () => {
    writeStored('localStorage', storedKey, 'read')
    setRead(true)
  }
  return (
    <section className="mb-6 rounded-2xl border border-line bg-surface p-5 text-sm">
      <h2 className="font-semibold">Accounts on this server have plans</h2>
      <p className="mt-1 max-w-prose text-ink-soft">
        Free accounts have 50 links and see no clicks. If you sell nothing, set{' '}
        <code className="font-mono">PLANS=off</code>: then every account has everything.
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button size="small" onClick={close}>
          Got it
        </Button>
        <a href="/docs/self-hosting#plans" className="font-medium underline underline-offset-4">
          How it works
        </a>
      </div>
    </section>
  )
}
