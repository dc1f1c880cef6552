import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { referenceTexts } from '#domain/reference-texts.ts'
import { routes } from '#domain/routes.ts'
import { useFormFields } from '#web/use-form-fields.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { KeyRefusedError, readDescription } from './descriptions.ts'

const schema = z.object({
  key: z.string().check(z.trim(), z.minLength(1, referenceTexts.keyMissing)),
})

/** Asks for the key that tried calls carry. */
export function KeyForm({ onKey }: { onKey: (key: string) => void }) {
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
