import { Link } from '@tanstack/react-router'
import { Fragment, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { isTooMuch, payloadOf } from '#domain/qr/payloads.ts'
import {
  emptyStaticFields,
  type StaticFields,
  type StaticKind,
  staticKinds,
} from '#domain/qr/static-forms.ts'
import { staticFields } from './static-fields.tsx'

const names: Readonly<Record<StaticKind, string>> = {
  wifi: 'Wi-Fi',
  contact: 'Contact',
  email: 'Email',
  phone: 'Phone',
  sms: 'SMS',
  place: 'Place',
  event: 'Event',
  text: 'Text',
}

interface StaticCodeFormProps {
  /** Gets the code whenever it changes; undefined while the form is incomplete. */
  onCode: (code: { text: string; name: string } | undefined) => void
}

/** The content of a code that is not a link. All of it happens in the browser: the server learns nothing. */
export function StaticCodeForm({ onCode }: StaticCodeFormProps) {
  const [kind, setKind] = useState<StaticKind>('wifi')
  // Another kind and back loses nothing.
  const [fields, setFields] = useState(emptyStaticFields)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const payload = useMemo(() => payloadOf(kind, fields[kind]), [kind, fields])
  const report = useEffectEvent(onCode)
  useEffect(() => report('text' in payload ? payload : undefined), [payload])

  /** A problem is named once its field was left; that of a full code at once. */
  const errorOf = (name: string) => {
    const problem = 'problems' in payload ? payload.problems[name] : undefined
    return left.has(`${kind} ${name}`) || isTooMuch(problem) ? problem : undefined
  }
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
      <fieldset>
        <legend className="mb-2 text-sm font-medium">Content</legend>
        <div className="flex flex-wrap gap-2">
          {staticKinds.map((each) => (
            <label
              key={each}
              className="relative inline-flex h-9 cursor-pointer items-center rounded-full border border-line px-3.5 text-sm text-ink-soft transition-colors duration-150 hover:border-edge hover:text-ink has-checked:border-ink has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-[var(--focus)] pointer-coarse:h-11"
            >
              <input
                type="radio"
                name="static-kind"
                checked={kind === each}
                onChange={() => setKind(each)}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
              {names[each]}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
        <Fragment key={kind}>
          {staticFields(kind, {
            values: fields[kind],
            change: (changed) =>
              setFields((now): StaticFields => ({ ...now, [kind]: { ...now[kind], ...changed } })),
            errorOf,
            onLeave: (name) => setLeft((now) => new Set([...now, `${kind} ${name}`])),
          })}
        </Fragment>
        <output className="min-h-5 text-sm text-ink-faint">
          {'text' in payload ? '' : 'The code appears when the form is complete.'}
        </output>
      </div>
      <div className="grid gap-2 rounded-2xl bg-sunken p-4 text-sm leading-relaxed text-ink-soft">
        <p>
          <strong className="font-medium text-ink">This code is static.</strong> After printing
          nobody can change it, and no scan is counted. A{' '}
          <Link to="/" className="font-medium text-accent-text underline underline-offset-4">
            dynamic QR code
          </Link>{' '}
          can do both: a short link with a destination that you change.
        </p>
        <p>
          Everything stays in this browser. Nothing is stored or sent
          {kind === 'wifi' ? ', not even the password' : ''}.
        </p>
      </div>
    </div>
  )
}
