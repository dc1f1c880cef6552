import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { bioLimits, slugAsTyped, slugOf, startForm } from '#domain/bio/bio-form.ts'
import { routes } from '#domain/routes.ts'
import { bioNotices } from '#domain/texts/bio-texts.ts'
import { validationErrorTitle } from '#domain/texts/texts.ts'
import { HopPrint } from '#web/hop-print.tsx'
import { useDomainChoice } from '#web/domains/domain-choices.ts'
import { HostSelect } from '#web/domains/host-select.tsx'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { characterCount } from '#web/ui/fields/character-count.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useForm } from '#web/forms/use-form.ts'
import { profileQuery } from '#web/session/profile-query.ts'
import { site } from '#web/site.ts'
import type { FirstAnswers } from './bio-draft.ts'
import { SlugHint } from './slug-field.tsx'

interface FirstVisitProps {
  userId: string
  onDone: (answers: FirstAnswers) => void
}

/**
 * Asks for name and address of a new page before the editor opens. The name begins as that of the account, and the address
 * follows the name until it is typed.
 */
export function FirstVisit({ userId, onDone }: FirstVisitProps) {
  const [typedTitle, setTitle] = useState<string>()
  const { data: profile } = useQuery(profileQuery(userId))
  const title = typedTitle ?? profile?.displayName ?? ''
  const [typedSlug, setSlug] = useState<string>()
  const slug = typedSlug ?? slugOf(title)
  const [wanted, setDomain] = useState<string | null>()
  const { domain, hosts } = useDomainChoice(userId, wanted)
  const form = useForm({
    schema: startForm,
    values: { title, slug },
    issueNotice: (message) =>
      message === bioNotices.required.title
        ? bioNotices.required
        : { title: validationErrorTitle, description: message },
    submit: (answers) => Promise.resolve(onDone({ ...answers, domain })),
  })
  return (
    <Screen title="Bio Link">
      <form
        {...form.props}
        className="grid max-w-xl gap-5 rounded-2xl border border-line bg-surface p-5 sm:p-7"
      >
        <div className="flex items-center justify-between gap-4">
          <h2 className="text-lg font-semibold">Name your page</h2>
          <HopPrint code={slug === '' ? 'your-name' : slug} width={72} height={44} />
        </div>
        <Field
          label="Your name"
          name="title"
          autoComplete="name"
          aria-required
          note={characterCount(title, bioLimits.title)}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          error={form.errorOf('title')}
        />
        <Field
          label="Address"
          name="slug"
          leading={
            hosts.length === 0 ? (
              `${site.host}/`
            ) : (
              <HostSelect value={domain} hosts={hosts} onChange={setDomain} />
            )
          }
          kind="verbatim"
          aria-required
          className="font-mono"
          note={characterCount(slug, bioLimits.slug)}
          value={slug}
          onChange={(event) => setSlug(slugAsTyped(event.target.value))}
          error={form.errorOf('slug')}
          hint={
            <SlugHint
              slug={slug}
              domain={domain}
              asks={form.errorOf('slug') === undefined}
              onTake={setSlug}
            />
          }
        />
        <div className="flex justify-end gap-2.5">
          <Link to={routes.dashboard.path} className={buttonClass('quiet')}>
            Cancel
          </Link>
          <Button type="submit" look="accent" busy={form.busy}>
            Continue
          </Button>
        </div>
      </form>
    </Screen>
  )
}
