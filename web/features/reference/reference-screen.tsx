import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import {
  referenceFailed,
  referencePartNames,
  referenceTexts,
} from '#domain/texts/reference-texts.ts'
import { type ReferencePart, referenceParts, routes } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { descriptionQuery, KeyRefusedError, readDescription } from './descriptions.ts'
import { Explorer } from './explorer.tsx'

const route = getRouteApi(routes.reference.path)

/** The calls of the three doors that programs use, made of the doors' own descriptions. */
export function ReferenceScreen() {
  const { part = 'tables' } = route.useSearch()
  const session = useSession()
  // Nowhere but here: a key must not outlive the page.
  const [key, setKey] = useState<string>()
  const person = session.status === 'signed-in' ? { userId: session.userId } : undefined
  const reader = key === undefined ? person : { key }
  const description = useQuery({
    ...descriptionQuery(part, reader),
    enabled: session.status !== 'loading',
  })
  useTitle(`${referencePartNames[part]} · ${referenceTexts.title} · Hoplet`)
  return (
    <Screen title={referenceTexts.title} intro={referenceTexts.intro}>
      {key === undefined ? (
        <KeyForm onKey={setKey} />
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <output>{referenceTexts.keyUsed}</output>
          <Button look="plain" size="small" onClick={() => setKey(undefined)}>
            {referenceTexts.forgetKey}
          </Button>
        </div>
      )}
      <PartLinks part={part} />
      <QueryPanel query={description} loading={referenceTexts.loading} failed={referenceFailed}>
        {(read) => <Explorer description={read} token={key ?? ''} />}
      </QueryPanel>
    </Screen>
  )
}

function PartLinks({ part }: { part: ReferencePart }) {
  return (
    <nav aria-label={referenceTexts.title} className="mt-6 border-b border-line">
      <ul className="flex flex-wrap">
        {referenceParts.map((name) => (
          <li key={name}>
            <Link
              to={routes.reference.path}
              search={{ part: name }}
              aria-current={name === part ? 'page' : undefined}
              className="-mb-px block border-b-2 border-transparent px-3 py-3 text-sm font-medium whitespace-nowrap text-ink-soft transition-colors duration-150 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink [li:first-child>&]:pl-0"
            >
              {referencePartNames[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const schema = z.object({
  key: z.string().check(z.trim(), z.minLength(1, referenceTexts.keyMissing)),
})

/** Asks for the key that tried calls carry. */
function KeyForm({ onKey }: { onKey: (key: string) => void }) {
  const form = useFormFields({
    schema,
    initial: { key: '' },
    issueNotice: null,
    submit: async (data) => {
      try {
        await readDescription('tables', data)
      } catch (error) {
        if (!(error instanceof KeyRefusedError)) throw error
        return { field: 'key', text: referenceTexts.keyRefused }
      }
      onKey(data.key)
      return undefined
    },
  })
  return (
    <form {...form.props} className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <div className="min-w-0 grow basis-72 sm:max-w-md">
        <Field
          label={referenceTexts.key}
          type="password"
          kind="verbatim"
          {...form.text('key')}
          hint={
            <>
              {referenceTexts.keyHint}{' '}
              <Link
                to={routes.settings.path}
                search={{ tab: 'api-keys' }}
                className="text-ink-soft underline underline-offset-4 hover:text-ink"
              >
                {referenceTexts.noKey}
              </Link>
            </>
          }
        />
      </div>
      <div className="sm:mt-6.5">
        <Button type="submit" look="plain" busy={form.busy}>
          {referenceTexts.useKey}
        </Button>
      </div>
    </form>
  )
}
